// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.connection;

import com.rabbitmq.client.Connection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which RabbitMQ it is, as the broker itself says. Pure, but for the log. */
public final class BrokerVersion {

    private static final Logger LOG = LoggerFactory.getLogger(BrokerVersion.class);

    private static final Pattern MAJOR_AND_MINOR = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\D.*");
    private static final int OLDEST_MAJOR = 3;
    private static final int OLDEST_MINOR = 10;

    private BrokerVersion() {}

    /** What is wrong with it, and what to do; {@code null} for nothing, or when it does not say. */
    public static @Nullable String finding(String version) {
        return !matcher(version).matches() || isAtLeast(version, OLDEST_MAJOR, OLDEST_MINOR)
                ? null
                : "The broker is RabbitMQ %s, and the oldest that SafeBunny is tested with is %s.%s: dead-lettering at least once, and so not losing what the broker sets aside, needs that. Upgrade the broker"
                        .formatted(version, OLDEST_MAJOR, OLDEST_MINOR);
    }

    /** False also when it does not say. */
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

    /** @param connection {@code null} when there is none now */
    public static void check(@Nullable Connection connection) {
        Object version =
                connection == null ? null : connection.getServerProperties().get("version");
        String finding = version == null ? null : finding(version.toString());
        if (finding != null) {
            LOG.warn("{}", finding);
        }
    }
}
