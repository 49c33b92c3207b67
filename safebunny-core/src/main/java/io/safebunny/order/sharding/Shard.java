// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.sharding;

import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has the messages of one shard handled, and notes the marks that it finds between them. Thread-safe. */
final class Shard implements DeliveryHandler {

    private static final Logger LOG = LoggerFactory.getLogger(Shard.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final int number;
    private final String forwardedFrom;
    private final SharedDivision division;
    private final DeliveryHandler pipeline;
    private final BoundedLog log;
    private final Subject unnoted;

    /** @param forwardedFrom queue whose messages the pipeline handles */
    Shard(int number, String forwardedFrom, SharedDivision division, DeliveryHandler pipeline, BoundedLog log) {
        this.number = number;
        this.forwardedFrom = forwardedFrom;
        this.division = division;
        this.pipeline = pipeline;
        this.log = log;
        this.unnoted = Subject.warn(LOG, "That shards of queue '%s' are drained is not noted".formatted(forwardedFrom));
    }

    @Override
    public void handle(Delivery delivery) {
        String token = ShardMark.tokenOf(delivery.message().message());
        if (token == null) {
            pipeline.handle(new ForwardedMessage(delivery, forwardedFrom));
        } else if (isNoted(token)) {
            delivery.acknowledge();
        } else {
            delivery.keep(PAUSE);
        }
    }

    private boolean isNoted(String token) {
        try {
            boolean isNoted = division.change(present -> present.drained(number, token));
            log.works(unnoted);
            return isNoted;
        } catch (RuntimeException e) {
            log.fails(
                    unnoted,
                    String.valueOf(number),
                    () -> LOG.warn(
                            "That shard {} of queue '{}' is drained is not noted: the store does not answer",
                            number,
                            forwardedFrom,
                            log.tellable(e)));
            return false;
        }
    }
}
