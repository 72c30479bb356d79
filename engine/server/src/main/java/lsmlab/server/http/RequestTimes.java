// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.http;

import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import lsmlab.server.wire.Request;

/** Times of entity requests, by method: from the moment a request was read completely until its answer was handed to the socket. */
public final class RequestTimes {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double[] BOUNDS_SECONDS = {0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

    private final Histogram histogram = Histogram.builder().name("lsm_http_request_duration_seconds").unit(Unit.SECONDS)
            .help("Time from a whole request to its answer, of /v0/entity").labelNames("method").classicOnly().classicUpperBounds(BOUNDS_SECONDS).build();
    private final Map<Request.Method, DistributionDataPoint> byMethod = new EnumMap<>(Request.Method.class);

    public RequestTimes() {
        for (Request.Method method : new Request.Method[] {Request.Method.GET, Request.Method.PUT, Request.Method.DELETE}) {
            byMethod.put(method, histogram.labelValues(method.name()));
        }
    }

    /** Ignores methods that entities don't have. */
    public void record(Request.Method method, long nanos) {
        DistributionDataPoint times = byMethod.get(method);
        if (times != null) {
            times.observe(nanos / NANOS);
        }
    }

    public void register(PrometheusRegistry registry) {
        registry.register(histogram);
    }
}
