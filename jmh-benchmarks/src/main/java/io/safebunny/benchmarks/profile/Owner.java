// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.profile;

import java.util.List;

/**
 * The code to which a profiler sample is attributed: that of the innermost call that belongs to one of these libraries. Work of
 * the JDK and the kernel on its behalf, such as a write to a socket, is charged to it.
 */
enum Owner {
    SAFEBUNNY("SafeBunny's code", "io/safebunny/"),
    /** Waking workers, waiting workers, and the system's context switches. */
    SWITCHING("SafeBunny's threads, waking and waiting", "[safebunny-"),
    CLIENT("RabbitMQ client", "com/rabbitmq/", "[AMQP Connection", "[pool-"),
    JACKSON("Jackson", "tools/jackson/", "com/fasterxml/jackson/"),
    DATABASE("connection pool and driver", "org/postgresql/", "com/zaxxer/", "[Hikari"),
    /** Mostly the JVM's own threads: compilation and garbage collection. */
    OTHER("other");

    private static final List<String> SWITCHES =
            List.of("java/util/concurrent/locks/LockSupport.", "java/util/concurrent/ThreadPoolExecutor.");

    private final String title;

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<String> prefixes;

    /** @param prefixes prefixes of classes and, with a bracket, of thread names, for threads that wait for work */
    Owner(String title, String... prefixes) {
        this.title = title;
        this.prefixes = List.of(prefixes);
    }

    String title() {
        return title;
    }

    /** @param stack frames separated by semicolons, starting with the thread and ending with the innermost call */
    static Owner of(String stack) {
        boolean switching = false;
        String[] frames = stack.split(";", -1);
        for (int i = frames.length - 1; i >= 0; i--) {
            Owner owner = ofFrame(frames[i]);
            if (owner != OTHER) {
                return owner == SAFEBUNNY && switching ? SWITCHING : owner;
            }
            switching |= isOneOf(SWITCHES, frames[i]);
        }
        return OTHER;
    }

    private static Owner ofFrame(String frame) {
        for (Owner owner : values()) {
            if (isOneOf(owner.prefixes, frame)) {
                return owner;
            }
        }
        return OTHER;
    }

    private static boolean isOneOf(List<String> prefixes, String frame) {
        return prefixes.stream().anyMatch(frame::startsWith);
    }
}
