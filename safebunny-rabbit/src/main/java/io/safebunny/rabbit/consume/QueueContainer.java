// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import com.rabbitmq.client.Channel;
import io.safebunny.rabbit.work.ConsumerContext;
import io.safebunny.rabbit.work.InboundBudget;
import io.safebunny.transport.DeliveryHandler;
import io.safebunny.transport.Pace;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.rabbit.config.ContainerCustomizer;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;

/**
 * Spring AMQP listener container of one queue: one channel, up to {@code prefetch} deliveries handled at once on worker threads, each by
 * the container's advices around the {@link AdvisedPipeline}.
 *
 * <p>This class only has the lifecycle: {@link ConsumerControl} consumes, through {@link ConsumerSession}s, and {@link Dispatcher} hands
 * deliveries to workers; {@link OrderedConsumer} does both for a queue that is consumed in order. Why not one of Spring's containers: {@code docs/decisions/0004-listener-container.md}.
 */
final class QueueContainer extends AbstractMessageListenerContainer {

    private static final Logger LOG = LoggerFactory.getLogger(QueueContainer.class);

    private final ConsumedQueue queue;
    private final AdvisedPipeline pipeline;
    private final ConnectionFactory factory;
    private final QueueControl control;
    /** Whether the application has advices around the pipeline; set before the start. */
    private volatile boolean isAdvised;

    /** @param share may slow the queue down to one message at a time */
    QueueContainer(
            ConsumedQueue queue,
            InboundBudget.Share share,
            DeliveryHandler pipeline,
            ConnectionFactory factory,
            ConsumerContext context) {
        this.queue = queue;
        this.pipeline = new AdvisedPipeline(queue.name(), this::advise, pipeline, context.log());
        this.factory = factory;
        this.control = queue.isOrdered()
                ? new OrderedConsumer(queue, share, context, this.pipeline::handle)
                : new ConsumerControl(
                        queue, share, context, told -> new Dispatcher(queue, context, new AdvisedWork(told)));
    }

    /** Call once, before the start. The customizer's advice chain is kept; all other settings are overwritten. */
    void customizeBy(ContainerCustomizer<AbstractMessageListenerContainer> customizer) {
        customizer.configure(this);
        setConnectionFactory(factory);
        setQueueNames(queue.name());
        setPrefetchCount(queue.prefetch());
        setAcknowledgeMode(AcknowledgeMode.MANUAL);
        setAutoDeclare(false);
        Advice[] around = getAdviceChain();
        isAdvised = around.length > 0;
        if (isAdvised && pipeline.mostTogether() > 1) {
            LOG.warn(
                    "Messages of queue '{}' are not handled together: its listener container has advices, which see one message at a time. Remove them, or set messagesPerTransaction or batchSize to 1",
                    queue.name());
        }
        Advice[] all = Arrays.copyOf(around, around.length + 1);
        all[around.length] = pipeline;
        setAdviceChain(all);
    }

    /** Does nothing. Reached only if an advice proceeds past the innermost one. */
    @Override
    protected void actualInvokeListener(Channel channel, Object delivery) {}

    private void advise(RabbitDelivery delivery) {
        invokeListener(delivery.session().channel(), delivery);
    }

    private final class AdvisedWork implements Dispatcher.Work {

        private final ConsumerControl told;

        AdvisedWork(ConsumerControl told) {
            this.told = told;
        }

        @Override
        public void handle(RabbitDelivery delivery) {
            pipeline.handle(delivery);
        }

        @Override
        public int mostTogether() {
            return isAdvised ? 1 : pipeline.mostTogether();
        }

        @Override
        public List<RabbitDelivery> handleTogether(List<RabbitDelivery> deliveries) {
            return pipeline.handleTogether(deliveries);
        }

        @Override
        public void finished(RabbitDelivery delivery) {
            told.finished(delivery);
        }

        @Override
        public void released(RabbitDelivery delivery) {
            told.released(delivery);
        }
    }

    String queue() {
        return queue.name();
    }

    /** Whether the queue is consumed as it should be. Also true while nothing should be consumed: paused, or stopping. */
    boolean isConsuming() {
        return control.isConsuming();
    }

    void setPace(Pace wanted) {
        control.setPace(wanted);
    }

    /** Adjusts the consumer on a worker; call on every new connection. */
    void adjustSoon() {
        control.adjustSoon();
    }

    /** Nothing to do: the {@link QueueControl} is set up by the constructor. */
    @Override
    protected void doInitialize() {}

    /** Does nothing: the topology is checked on every connect. */
    @Override
    protected void checkMismatchedQueues() {}

    @Override
    protected void doStart() {
        super.doStart();
        control.adjust();
    }

    /** Cancels the consumer, waits for running handlers, and only then closes the channel. */
    CompletableFuture<Void> drainAndStop() {
        shutdown(null);
        return control.drained();
    }

    @Override
    protected void shutdownAndWaitOrCallback(@Nullable Runnable callback) {
        if (callback != null) {
            CompletableFuture<Void> unused = control.drained().thenRun(callback);
        }
        control.stop();
    }
}
