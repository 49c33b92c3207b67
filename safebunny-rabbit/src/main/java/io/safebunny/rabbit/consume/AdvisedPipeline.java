// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.failure.MisuseException;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Subject;
import io.safebunny.transport.DeliveryHandler;
import java.util.List;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consume pipeline as the innermost advice of a listener container. It settles every delivery itself and never proceeds. Whatever the
 * application's advices do, each delivery is handled at most once and always settled. Thread-safe.
 */
final class AdvisedPipeline implements MethodInterceptor {

    private static final Logger LOG = LoggerFactory.getLogger(AdvisedPipeline.class);

    private final String queue;
    private final Consumer<RabbitDelivery> advices;
    private final DeliveryHandler pipeline;
    private final BoundedLog log;
    private final Subject failedAround;

    /** @param advices runs the advice chain around this one */
    AdvisedPipeline(String queue, Consumer<RabbitDelivery> advices, DeliveryHandler pipeline, BoundedLog log) {
        this.queue = queue;
        this.advices = advices;
        this.pipeline = pipeline;
        this.log = log;
        this.failedAround =
                Subject.warn(LOG, "Advices of queue '%s' failed after the message was settled".formatted(queue));
    }

    void handle(RabbitDelivery delivery) {
        Throwable thrown = null;
        try {
            advices.accept(delivery);
        } catch (Throwable e) {
            // thrown by an advice: the pipeline itself throws nothing
            thrown = e;
        }
        if (delivery.claim()) {
            delivery.refuse(thrown == null ? notProceeded() : thrown);
            settle(delivery);
        } else if (thrown != null) {
            // the exception's text may quote the message, so only its type is logged
            String kind = thrown.getClass().getName();
            log.tell(
                    failedAround,
                    kind,
                    () -> LOG.warn(
                            "An advice of queue '{}' threw {} after the message was settled; the message is not affected",
                            queue,
                            kind));
            LOG.debug("An advice of the listener container failed", thrown);
        }
    }

    int mostTogether() {
        return pipeline.mostTogether();
    }

    /**
     * Handles several deliveries together. Call only if the application has no advices.
     *
     * @return those that are still to be handled on their own
     */
    List<RabbitDelivery> handleTogether(List<RabbitDelivery> deliveries) {
        try {
            return pipeline.handleTogether(deliveries);
        } catch (Throwable e) {
            deliveries.forEach(RabbitDelivery::handBack); // does nothing for settled deliveries
            throw e;
        }
    }

    /** Does nothing if an advice proceeds twice or too late, when the delivery is already being handled or settled. */
    @Override
    public @Nullable Object invoke(MethodInvocation invocation) {
        RabbitDelivery delivery = (RabbitDelivery) invocation.getArguments()[1];
        if (delivery.claim()) {
            settle(delivery);
        }
        return null;
    }

    /** Hands the delivery back even on an {@code Error}: an unsettled delivery would occupy its place in the prefetch window. */
    private void settle(RabbitDelivery delivery) {
        try {
            pipeline.handle(delivery);
        } catch (Throwable e) {
            // does nothing if it is settled already
            delivery.handBack();
            throw e;
        }
    }

    private MisuseException notProceeded() {
        return new MisuseException(
                MisuseException.BROKEN_RULE,
                "An advice of the listener container of queue %s returned without calling proceed(), so the message was not handled. Call proceed() or throw; use a ConsumeMiddleware to drop messages."
                        .formatted(queue));
    }
}
