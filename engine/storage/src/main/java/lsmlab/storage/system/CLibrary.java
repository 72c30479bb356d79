// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.system;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.Charset;

/** The few calls for which the JDK has none of its own. */
public final class CLibrary {
    public static final boolean IS_LINUX = System.getProperty("os.name").equals("Linux");
    private static final int LONGEST_MESSAGE_BYTES = 1 << 10;

    private CLibrary() {}

    /** Null where the system has no such function. */
    public static MethodHandle function(String name, FunctionDescriptor type, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        MemorySegment address = linker.defaultLookup().find(name).orElse(null);
        return address == null ? null : linker.downcallHandle(address, type, options);
    }

    /** The system's message for an error number, in the user's language; empty where the system has no such function. */
    public static String message(int number) {
        MethodHandle strerror = function("strerror", FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
        if (strerror == null) {
            return "";
        }
        try {
            MemorySegment text = (MemorySegment) strerror.invokeExact(number);
            return text.reinterpret(LONGEST_MESSAGE_BYTES).getString(0, Charset.forName(System.getProperty("native.encoding")));
        } catch (Throwable e) {
            throw new AssertionError("strerror threw " + e, e);
        }
    }
}
