// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.saga;

import io.safebunny.benchmarks.broker.BenchBroker;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory.ConfirmType;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;

/**
 * The saga written by hand with Spring AMQP so that no message is lost: each listener waits for the confirm of its publication
 * before its own message is acknowledged. Duplicates are handled twice.
 */
final class SpringTrack implements Track {

    private static final String QUEUE = "hand-written-";
    private static final int CONSUMERS = 10;
    private static final long CONFIRM_SECONDS = 30;

    private final CachingConnectionFactory publish;
    private final CachingConnectionFactory consume;
    private final RabbitTemplate template;
    private final JacksonJsonMessageConverter json = new JacksonJsonMessageConverter("io.safebunny.benchmarks.saga");
    private final List<SimpleMessageListenerContainer> containers = new ArrayList<>();
    private final String text = Hop.text();
    private volatile LongConsumer finish = begun -> {};

    SpringTrack(BenchBroker broker) {
        publish = broker.spring();
        publish.setPublisherConfirmType(ConfirmType.CORRELATED);
        publish.setPublisherReturns(true);
        publish.setChannelCacheSize(3 * CONSUMERS + CONSUMERS);
        consume = broker.spring();
        template = new RabbitTemplate(publish);
        template.setMandatory(true);
        template.setMessageConverter(json);
        RabbitAdmin admin = new RabbitAdmin(consume);
        listen(admin, "Done", hop -> finish.accept(hop.begun()));
        listen(admin, "Third", passOn(Hop.Done::new));
        listen(admin, "Second", passOn(Hop.Third::new));
        listen(admin, "First", passOn(Hop.Second::new));
    }

    private void listen(RabbitAdmin admin, String type, Consumer<Hop> handler) {
        String queue = QUEUE + type;
        admin.declareQueue(QueueBuilder.durable(queue).quorum().build());
        SimpleMessageListenerContainer container = new SimpleMessageListenerContainer(consume);
        container.setQueueNames(queue);
        container.setConcurrentConsumers(CONSUMERS);
        container.setPrefetchCount(1);
        container.setMessageListener(message -> handler.accept((Hop) json.fromMessage(message)));
        container.start();
        containers.add(container);
    }

    private Consumer<Hop> passOn(BiFunction<Long, String, Hop> next) {
        return hop -> {
            try {
                send(next.apply(hop.begun(), text)).get(CONFIRM_SECONDS, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException("Not confirmed", e);
            }
        };
    }

    private CompletableFuture<CorrelationData.Confirm> send(Hop hop) {
        CorrelationData correlation = new CorrelationData(UUID.randomUUID().toString());
        template.convertAndSend("", QUEUE + hop.getClass().getSimpleName(), hop, correlation);
        return correlation.getFuture();
    }

    @Override
    public void begin(long begun) {
        CompletableFuture<CorrelationData.Confirm> unused = send(new Hop.First(begun, text));
    }

    @Override
    public void onFinish(LongConsumer newFinish) {
        finish = newFinish;
    }

    @Override
    public void close() {
        containers.forEach(SimpleMessageListenerContainer::destroy);
        publish.destroy();
        consume.destroy();
    }
}
