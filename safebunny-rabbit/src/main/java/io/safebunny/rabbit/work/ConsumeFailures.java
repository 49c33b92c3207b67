// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.work;

import com.rabbitmq.client.ShutdownSignalException;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.details.Printable;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.rabbit.connection.Channels;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs that a queue cannot be consumed, and when it can be again. Thread-safe. */
public final class ConsumeFailures {

    private static final Logger LOG = LoggerFactory.getLogger(ConsumeFailures.class);

    private final String queue;
    private final BoundedLog log;
    private final Subject notConsumed;

    public ConsumeFailures(String queue, BoundedLog log) {
        this.queue = queue;
        this.log = log;
        this.notConsumed = Subject.warn(LOG, "Cannot consume queue '%s'".formatted(queue));
    }

    public void works() {
        log.works(notConsumed);
    }

    /** @param failure after which the caller tries again a second later */
    public void fails(Throwable failure) {
        long seconds = LaterRun.DELAY.toSeconds();
        if (failure instanceof IOException
                || failure instanceof ShutdownSignalException
                || failure instanceof ConfigurationException) {
            String why = Channels.explain(failure);
            log.fails(
                    notConsumed,
                    queue,
                    why,
                    () -> LOG.warn("Cannot consume queue '{}': {}. Retrying in {} s", queue, why, seconds));
        } else {
            log.fails(
                    notConsumed,
                    queue,
                    failure.toString(),
                    () -> LOG.error(
                            "Cannot consume queue '{}'; retrying in {} s", queue, seconds, Printable.inLines(failure)));
        }
    }
}
