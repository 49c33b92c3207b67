// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.ledger;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** Facts about the machine and the software measured, by name. */
final class Machine {

    private Machine() {}

    static Map<String, String> describe(String brokerVersion) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("processors", "%s, %s".formatted(Runtime.getRuntime().availableProcessors(), processor()));
        facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("Java", System.getProperty("java.vm.name") + " " + System.getProperty("java.version"));
        facts.put("RabbitMQ", brokerVersion);
        facts.put("amqp-client", com.rabbitmq.client.impl.ClientVersion.VERSION);
        facts.put("beside", measured());
        facts.put(
                "load of the minute before",
                "%.1f".formatted(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
        return facts;
    }

    /** The version, which the build writes into the jar. */
    private static String measured() {
        try (JarFile jar = new JarFile(Path.of(Machine.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toFile())) {
            return jar.getManifest().getMainAttributes().getValue("Measured");
        } catch (IOException | URISyntaxException e) {
            return "unknown";
        }
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
