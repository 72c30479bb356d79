// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.environment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines as Linux shows them. */
class MachineTest {
    @TempDir
    private Path system;

    private void write(String file, String text) throws IOException {
        Path path = system.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }

    @Test
    void aQuietMachineHasNoRemarks() throws IOException {
        write("class/power_supply/BAT0/type", "Battery");
        write("class/power_supply/BAT0/status", "Charging");
        write("devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "4000000");
        write("devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "4000000");
        assertEquals(List.of(), Machine.remarks(system, 1.0, 2));
    }

    @Test
    void aBatteryIsNamed() throws IOException {
        write("class/power_supply/AC/type", "Mains");
        write("class/power_supply/BAT0/type", "Battery");
        write("class/power_supply/BAT0/status", "Discharging");
        assertEquals(List.of("on battery: the processor may be slowed down"), Machine.remarks(system, 0, 2));
    }

    @Test
    void aProcessorThatIsHeldBackIsNamed() throws IOException {
        write("class/power_supply/AC/type", "Mains");
        write("devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "4000000");
        write("devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "2400000");
        assertEquals(List.of("the processor is held at 60 % of its highest clock"), Machine.remarks(system, 0, 2));
    }

    @Test
    void otherWorkIsNamed() throws IOException {
        write("class/power_supply/AC/type", "Mains");
        assertEquals(List.of("load average 1.1 on 2 cores: other work runs here, or did a minute ago"), Machine.remarks(system, 1.1, 2));
    }
}
