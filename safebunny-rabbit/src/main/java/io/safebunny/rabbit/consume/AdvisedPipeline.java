// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import io.safebunny.failure.MisuseException;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.BoundedLog.Kind;
import io.safebunny.transport.DeliveryHandler;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consume pipeline as the innermost of a listener container's advices: it settles every delivery itself and never proceeds. Whatever the
 * application's advices around it do, a delivery is handled at most once, and settled. Thread-safe.
 */
final class AdvisedPipeline implements MethodInterceptor {

    private static final Logger LOG = LoggerFactory.getLogger(AdvisedPipeline.class);

    private final String queue;
    private final Consumer<RabbitDelivery> advices;
    private final DeliveryHandler pipeline;
    private final BoundedLog log;
    private final Kind failedAround;

    /** @param advices the chain that this is the innermost of */
    AdvisedPipeline(String queue, Consumer<RabbitDelivery> advices, DeliveryHandler pipeline, BoundedLog log) {
        this.queue = queue;
        this.advices = advices;
        this.pipeline = pipeline;
        this.log = log;
        this.failedAround = Kind.warn(LOG, "Advices failed after messages of queue '%s' were handled".formatted(queue));
    }

    void handle(RabbitDelivery delivery) {
        Throwable thrown = null;
        try {
            advices.accept(delivery);
        } catch (Throwable e) { // an advice's own: the pipeline throws nothing
            thrown = e;
        }
        if (delivery.claim()) {
            delivery.refuse(thrown == null ? notProceeded() : thrown);
            settle(delivery);
        } else if (thrown != null) {
            String kind = thrown.getClass().getName(); // its text might quote the message
            log.tell(
                    failedAround,
                    kind,
                    () -> LOG.warn(
                            "An advice failed after a message of queue '{}' was handled and settled: {}", queue, kind));
            LOG.debug("The advice's failure", thrown);
        }
    }

    /** What an advice proceeds with again, or too late, is being handled or settled already. */
    @Override
    public @Nullable Object invoke(MethodInvocation invocation) {
        RabbitDelivery delivery = (RabbitDelivery) invocation.getArguments()[1];
        if (delivery.claim()) {
            settle(delivery);
        }
        return null;
    }

    /** Whatever the pipeline throws, out of memory perhaps: a delivery that nobody settles would keep its place. */
    private void settle(RabbitDelivery delivery) {
        try {
            pipeline.handle(delivery);
        } catch (Throwable e) {
            delivery.handBack(); // does nothing when it is settled
            throw e;
        }
    }

    private MisuseException notProceeded() {
        return new MisuseException(
                MisuseException.BROKEN_RULE,
                "An advice of the listener container of queue %s did not proceed, and threw nothing: the message was not handled. Proceed, throw, or use a ConsumeMiddleware to drop messages."
                        .formatted(queue));
    }
}
