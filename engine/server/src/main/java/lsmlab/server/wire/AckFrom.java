// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

/**
 * How many replicas a key has ({@code from}) and how many of them must answer ({@code ack}): parameters {@code ack} and {@code from}, or
 * {@code replicas=ack/from}. Without them all nodes are replicas, and a majority must answer.
 */
public record AckFrom(int ack, int from) {

    public static AckFrom of(Request request, int nodes) {
        String replicas = request.text(Parameter.REPLICAS);
        if (replicas == null) {
            return of(request.text(Parameter.ACK), request.text(Parameter.FROM), nodes);
        }
        int slash = replicas.indexOf('/');
        if (slash < 0 || request.has(Parameter.ACK) || request.has(Parameter.FROM)) {
            throw Refused.badRequest("replicas is ack/from, as 2/3, and stands without ack and from");
        }
        return of(replicas.substring(0, slash), replicas.substring(slash + 1), nodes);
    }

    private static AckFrom of(String ackText, String fromText, int nodes) {
        int from = fromText == null ? nodes : number("from", fromText);
        if (from < 1 || from > nodes) {
            throw Refused.badRequest("from is %d, it must be 1 to %d, the number of nodes".formatted(from, nodes));
        }
        int ack = ackText == null ? from / 2 + 1 : number("ack", ackText);
        if (ack < 1 || ack > from) {
            throw Refused.badRequest("ack is %d, it must be 1 to from, which is %d".formatted(ack, from));
        }
        return new AckFrom(ack, from);
    }

    private static int number(String name, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw Refused.badRequest("%s is '%s', which is no number".formatted(name, text));
        }
    }
}
