// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.session;

import java.nio.charset.StandardCharsets;
import lsmlab.server.wire.Request;

/** Where a path leads. Only what reads or writes the store goes to the workers, so that an overload can be looked into. */
public enum Route {
    ENTITY("/v0/entity"), ENTITIES("/v0/entities"), STATUS("/v0/status"), STATS("/v0/stats"), METRICS("/metrics"), REQUESTS("/v0/requests");

    private static final Route[] ALL = values();
    private final byte[] path;

    Route(String path) {
        this.path = path.getBytes(StandardCharsets.US_ASCII);
    }

    static Route of(Request request) {
        for (Route route : ALL) {
            if (request.hasPath(route.path)) {
                return route;
            }
        }
        return null;
    }
}
