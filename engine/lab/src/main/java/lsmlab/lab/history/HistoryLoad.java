// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.history;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import lsmlab.lab.environment.Interrupted;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.Steps;
import lsmlab.lab.measure.Timeline.Step;
import lsmlab.lab.notebook.Progress;
import lsmlab.lab.notebook.Turn;
import lsmlab.lab.process.Server;

/**
 * Clients that write increasing values to few keys and read them back, one operation after another, each through a random one of some servers; while servers or
 * nodes are disturbed. Each method returns a changed copy.
 */
public final class HistoryLoad {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(3);
    private static final Duration AFTER_ERROR = Duration.ofMillis(5);
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final int WRITE_PERCENT = 30;
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final int FOUND = 200;
    private static final int CREATED = 201;
    private static final int NOT_FOUND = 404;

    private List<Server> servers;
    private int clients = 6;
    private int keys = 4;
    private String writes = "";
    private String reads = "";
    private String length = "10s";
    private String label = "history";
    private Server last;
    private List<Step> steps = List.of();

    private HistoryLoad() {}

    /** @param servers each client takes one of them for each operation, at random */
    public static HistoryLoad of(Server... servers) {
        HistoryLoad load = new HistoryLoad();
        load.servers = List.of(servers);
        load.last = load.servers.getFirst();
        return load;
    }

    private HistoryLoad with(Consumer<HistoryLoad> change) {
        HistoryLoad copy = new HistoryLoad();
        copy.servers = servers;
        copy.clients = clients;
        copy.keys = keys;
        copy.writes = writes;
        copy.reads = reads;
        copy.length = length;
        copy.label = label;
        copy.last = last;
        copy.steps = steps;
        change.accept(copy);
        return copy;
    }

    /** Clients at a time, and keys that they share. */
    public HistoryLoad clients(int count, int ofKeys) {
        if (count < 1 || ofKeys < 1) {
            throw new IllegalArgumentException("clients(%d, %d): it takes 1 or more clients, and 1 or more keys".formatted(count, ofKeys));
        }
        return with(copy -> {
            copy.clients = count;
            copy.keys = ofKeys;
        });
    }

    /** More parameters of writes and of reads, as "&amp;ack=1&amp;from=3". */
    public HistoryLoad parameters(String ofWrites, String ofReads) {
        for (String parameters : List.of(ofWrites, ofReads)) {
            if (!parameters.isEmpty() && !parameters.startsWith("&")) {
                throw new IllegalArgumentException("parameters begin with &, like \"&ack=1&from=3\": " + parameters);
            }
        }
        return with(copy -> {
            copy.writes = ofWrites;
            copy.reads = ofReads;
        });
    }

    /** How long the clients go on: "20s". */
    public HistoryLoad duration(String time) {
        Text.duration(time);
        return with(copy -> copy.length = time);
    }

    /** Its name in charts. */
    public HistoryLoad label(String text) {
        return with(copy -> copy.label = text);
    }

    /** Through which server each key is read after all, when nothing is disturbed any more. Unless said otherwise, the first. */
    public HistoryLoad readAtEnd(Server server) {
        return with(copy -> copy.last = server);
    }

    /** Runs it; the steps are done meanwhile. */
    public History run(Step... planned) {
        return with(copy -> copy.steps = List.of(planned)).measured();
    }

    private History measured() {
        try (var _ = Turn.take(label); ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Progress progress = new Progress(label);
            AtomicLong nextValue = new AtomicLong(1);
            String prefix = "history" + System.nanoTime() + "key"; // so the keys are new
            double beganSeconds = System.currentTimeMillis() / 1000.0;
            long beganNanos = System.nanoTime();
            long nanos = Text.duration(length).toNanos();
            Steps disturbing = new Steps(steps);
            disturbing.begin(() -> true);
            try {
                List<Future<List<Operation>>> running = IntStream.rangeClosed(1, clients).mapToObj(client -> threads.submit(() -> {
                    Client one = new Client(client, prefix, beganNanos);
                    Random random = new Random(client);
                    List<Operation> done = new ArrayList<>();
                    while (System.nanoTime() - beganNanos < nanos) {
                        boolean isWrite = random.nextInt(100) < WRITE_PERCENT;
                        done.add(one.operate(servers.get(random.nextInt(servers.size())), random.nextInt(keys), isWrite ? nextValue.getAndIncrement() : 0, isWrite ? writes : reads));
                    }
                    return done;
                })).toList();
                for (long now = System.nanoTime(); now - beganNanos < nanos; now = System.nanoTime()) {
                    progress.update((double) (now - beganNanos) / nanos, "%,d writes so far".formatted(nextValue.get() - 1));
                    Thread.sleep(LOOK);
                }
                List<Operation> all = new ArrayList<>();
                for (Future<List<Operation>> client : running) {
                    all.addAll(client.get());
                }
                disturbing.await();
                all.sort(Comparator.comparingDouble(Operation::startSeconds));
                Client judge = new Client(clients + 1, prefix, beganNanos);
                List<Operation> atEnd = IntStream.range(0, keys).mapToObj(key -> judge.read(last, key)).toList();
                History history = new History(label, Collections.unmodifiableList(all), atEnd, disturbing.events(beganSeconds));
                progress.done(history.words());
                return history;
            } finally {
                disturbing.cancel();
                threads.shutdownNow(); // or the end of this block would wait for the clients of an interrupted cell
            }
        } catch (InterruptedException e) {
            throw Interrupted.by(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** One client, numbered from 1. */
    private record Client(int number, String prefix, long beganNanos) {
        private static final int TRIES = 20;

        /** @param value to write; 0: it reads */
        Operation operate(Server server, int key, long value, String parameters) throws InterruptedException {
            String path = "/v0/entity?id=%s%d%s".formatted(prefix, key, parameters);
            double start = seconds();
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path)).timeout(ANSWER_LIMIT);
            long seen = value;
            boolean done = false;
            try {
                HttpResponse<String> answer = HTTP.send((value == 0 ? request : request.PUT(BodyPublishers.ofString(Long.toString(value)))).build(), BodyHandlers.ofString());
                int status = answer.statusCode();
                done = value == 0 ? status == FOUND || status == NOT_FOUND : status == CREATED;
                seen = value == 0 && status == FOUND ? Long.parseLong(answer.body()) : value;
            } catch (IOException e) {
                // the server is frozen, gone or starting
            }
            double end = seconds();
            if (!done) {
                Thread.sleep(AFTER_ERROR);
            }
            return new Operation(number, key, value != 0, seen, start, end, done);
        }

        private double seconds() {
            return (System.nanoTime() - beganNanos) / 1e9;
        }

        /** Asks until there is an answer. */
        Operation read(Server server, int key) {
            try {
                Operation read = operate(server, key, 0, "");
                for (int tries = 1; !read.done() && tries < TRIES; tries++) {
                    Thread.sleep(ANSWER_LIMIT.dividedBy(TRIES / 2));
                    read = operate(server, key, 0, "");
                }
                return read;
            } catch (InterruptedException e) {
                throw Interrupted.by(e);
            }
        }
    }
}
