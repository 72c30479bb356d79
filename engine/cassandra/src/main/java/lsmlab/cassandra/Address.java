// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import java.net.InetSocketAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads "127.0.0.1:9042". */
final class Address implements ITypeConverter<InetSocketAddress> {
    private static final int MOST_PORT = 65_535;

    @Override
    public InetSocketAddress convert(String text) {
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (colon > 0 && port >= 1 && port <= MOST_PORT) {
                return new InetSocketAddress(text.substring(0, colon), port);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new TypeConversionException("'%s' is not HOST:PORT, like 127.0.0.1:9042".formatted(text));
    }
}
