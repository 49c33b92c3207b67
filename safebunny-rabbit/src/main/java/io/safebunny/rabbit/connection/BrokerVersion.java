// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import com.rabbitmq.client.Connection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks the RabbitMQ version that the broker reports. Thread-safe. */
public final class BrokerVersion {

    private static final Logger LOG = LoggerFactory.getLogger(BrokerVersion.class);

    private static final Pattern MAJOR_AND_MINOR = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\D.*");
    private static final int OLDEST_MAJOR = 3;
    private static final int OLDEST_MINOR = 10;

    private BrokerVersion() {}

    /** Why the version is unsupported and what to do; {@code null} if it is supported or unknown. */
    public static @Nullable String finding(String version) {
        return !matcher(version).matches() || isAtLeast(version, OLDEST_MAJOR, OLDEST_MINOR)
                ? null
                : "The broker is RabbitMQ %s, older than %s.%s, the oldest version that SafeBunny is tested with: it lacks at-least-once dead-lettering, so messages that it dead-letters can be lost. Upgrade the broker"
                        .formatted(version, OLDEST_MAJOR, OLDEST_MINOR);
    }

    /** False if the version is unknown. */
    public static boolean isAtLeast(String version, int major, int minor) {
        Matcher parts = matcher(version);
        if (!parts.matches()) {
            return false;
        }
        int itsMajor = Integer.parseInt(parts.group(1));
        return itsMajor > major || (itsMajor == major && Integer.parseInt(parts.group(2)) >= minor);
    }

    private static Matcher matcher(String version) {
        return MAJOR_AND_MINOR.matcher(version + ' ');
    }

    /** What quorum queues of this version make of the priorities of messages. */
    static String priorities(String version) {
        return isAtLeast(version, 4, 3)
                ? "a higher one goes first, from 31 to 0"
                : isAtLeast(version, 4, 0)
                        ? "for one of 0 to 4 there go two of 5 to 31"
                        : "it ignores them, as all versions before 4.0 do";
    }

    /**
     * Logs what the broker makes of priorities, and a warning for an old broker.
     *
     * @param connection {@code null} while disconnected
     */
    public static void check(@Nullable Connection connection) {
        Object version =
                connection == null ? null : connection.getServerProperties().get("version");
        if (version == null) {
            return;
        }
        LOG.info("Priorities of messages on RabbitMQ {}: {}", version, priorities(version.toString()));
        String finding = finding(version.toString());
        if (finding != null) {
            LOG.warn("{}", finding);
        }
    }
}
