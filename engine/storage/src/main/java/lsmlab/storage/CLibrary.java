// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The few calls for which the JDK has none of its own. */
final class CLibrary {
    private CLibrary() {}

    /** Null where the system has no such function. */
    static MethodHandle function(String name, FunctionDescriptor type, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        MemorySegment address = linker.defaultLookup().find(name).orElse(null);
        return address == null ? null : linker.downcallHandle(address, type, options);
    }
}
