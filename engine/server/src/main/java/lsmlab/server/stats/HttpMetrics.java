// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.stats;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import lsmlab.server.http.LsmServer;

/** What any server on this HTTP layer counts, for Prometheus, and its client's own metrics of the JVM. */
public final class HttpMetrics {
    final PrometheusRegistry registry = new PrometheusRegistry();
    private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();

    public HttpMetrics(LsmServer server) {
        JvmMetrics.builder().register(registry);
        CounterWithCallback.builder().name("lsm_http_answers_total").help("Requests answered").labelNames("status")
                .callback(to -> server.answersByStatus().forEach((status, count) -> to.call(count, status.toString()))).register(registry);
        server.times().register(registry);
        GaugeWithCallback.builder().name("lsm_http_connections").help("Open connections").callback(to -> to.call(server.getConnections())).register(registry);
    }

    /** In Prometheus' text format. */
    public byte[] text() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.write(out, registry.scrape());
        return out.toByteArray();
    }
}
