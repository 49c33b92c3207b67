// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.publish;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.safebunny.Bunny;
import io.safebunny.Published;
import io.safebunny.benchmarks.broker.BenchBroker;
import io.safebunny.benchmarks.broker.BenchNode;
import io.safebunny.benchmarks.broker.Ping;
import io.safebunny.benchmarks.contest.Contender;
import io.safebunny.benchmarks.contest.Contest;
import io.safebunny.benchmarks.contest.Effort;
import io.safebunny.benchmarks.contest.Ratio;
import io.safebunny.benchmarks.contest.Section;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory.ConfirmType;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;

/** Publishing by 1, 8 and 128 callers that wait for each confirm, and by one that does not wait. */
public final class PublishSection implements Section {

    private static final String RAW_WINDOW = "raw client, window of 1,000";
    private static final String RAW_PER_THREAD = "raw client, a channel and a wait per caller";
    private static final String TEMPLATE = "RabbitTemplate, correlated confirms";
    private static final String SAFEBUNNY = "SafeBunny";

    private static final String CONDITIONS = "965 bytes of JSON, persistent, mandatory, confirmed, to one quorum queue";
    private static final long CONFIRM_SECONDS = 30;

    private final BenchBroker broker;
    private final Effort effort;
    private final String queue;
    private final Ping ping = Ping.ofSize("order-42", BenchBroker.MESSAGE_BYTES);
    private final Connection raw;
    private final RawWindow window;
    private final BenchNode node;
    private final List<AutoCloseable> opened = new ArrayList<>();

    public PublishSection(BenchBroker broker, Effort effort) throws Exception {
        this.broker = broker;
        this.effort = effort;
        queue = broker.declare("sink");
        raw = broker.connect();
        opened.add(raw::abort);
        window = new RawWindow(raw.createChannel(), ping.json());
        node = BenchNode.withoutStore(broker, BenchBroker.SOURCE);
        node.start(List.of());
        opened.add(node);
    }

    @Override
    public List<Contest> contests() throws IOException {
        // fast contenders first, because they warm up the code of the others
        return List.of(
                async(),
                blocking(
                        128,
                        25_600,
                        new Ratio("publish128VsTemplate", SAFEBUNNY, TEMPLATE, 2),
                        new Ratio("publish128VsRawWindow", SAFEBUNNY, RAW_WINDOW, 0.5),
                        new Ratio("publish128VsChannelPerThread", SAFEBUNNY, RAW_PER_THREAD, 0)),
                blocking(
                        8,
                        8_000,
                        new Ratio("publish8VsTemplate", SAFEBUNNY, TEMPLATE, 1.4),
                        new Ratio("publish8VsChannelPerThread", SAFEBUNNY, RAW_PER_THREAD, 0.95)),
                blocking(
                        1,
                        2_000,
                        new Ratio("publish1VsTemplate", SAFEBUNNY, TEMPLATE, 0),
                        new Ratio("publish1VsChannelPerThread", SAFEBUNNY, RAW_PER_THREAD, 0)));
    }

    private Contest blocking(int count, int ofFullRun, Ratio... ratios) throws IOException {
        Callers callers = new Callers(count);
        opened.add(callers);
        List<Callers.Publisher> rawPublishers = new ArrayList<>();
        for (int caller = 0; caller < count; caller++) {
            rawPublishers.add(rawPublisher());
        }
        int messages = effort.messages(ofFullRun);
        CachingConnectionFactory connections = templateConnections(count);
        RabbitTemplate template = template(connections);
        Bunny bunny = node.bunny();
        return new Contest(
                "Publish, %s blocking %s".formatted(count, count == 1 ? "caller" : "callers"),
                CONDITIONS + "; the template keeps a channel for each caller",
                List.of(
                        contender(RAW_WINDOW, () -> window.publish(messages)),
                        contender(RAW_PER_THREAD, () -> callers.publish(messages, rawPublishers::get)),
                        contender(
                                TEMPLATE,
                                () -> callers.publish(
                                        messages,
                                        caller -> () -> publish(template).get(CONFIRM_SECONDS, TimeUnit.SECONDS))),
                        contender(
                                SAFEBUNNY,
                                () -> callers.publish(messages, caller -> () -> {
                                    Published unused = bunny.publish(ping);
                                }))),
                List.of(ratios));
    }

    private Contest async() {
        int messages = effort.messages(40_000);
        RabbitTemplate template = template(templateConnections(1));
        return new Contest(
                "Publish, one caller that does not wait",
                CONDITIONS + "; at most 1,000 without a confirm",
                List.of(
                        contender(RAW_WINDOW, () -> window.publish(messages)),
                        contender(TEMPLATE, () -> Pipelined.run(messages, () -> publish(template))),
                        contender(
                                SAFEBUNNY,
                                () -> Pipelined.run(messages, () -> node.bunny().publishAsync(ping)))),
                List.of(
                        new Ratio("publishAsyncVsRawWindow", SAFEBUNNY, RAW_WINDOW, 0.9),
                        new Ratio("publishAsyncVsTemplate", SAFEBUNNY, TEMPLATE, 0)));
    }

    /** Purges the queue before each contender, so that all start with the same broker. */
    private Contender contender(String name, Contender.Measurement measurement) {
        return new Contender(name, () -> {
            broker.purge(queue);
            return measurement.measure();
        });
    }

    private Callers.Publisher rawPublisher() throws IOException {
        Channel channel = raw.createChannel();
        channel.confirmSelect();
        byte[] body = ping.json();
        return () -> {
            BasicProperties properties =
                    BenchBroker.properties(UUID.randomUUID().toString());
            channel.basicPublish(BenchBroker.EXCHANGE, BenchBroker.routingKey("Ping"), true, properties, body);
            channel.waitForConfirmsOrDie(CONFIRM_SECONDS * 1_000);
        };
    }

    private CachingConnectionFactory templateConnections(int callers) {
        CachingConnectionFactory connections = broker.spring();
        connections.setPublisherConfirmType(ConfirmType.CORRELATED);
        connections.setPublisherReturns(true);
        connections.setChannelCacheSize(Math.max(callers, 25));
        opened.add(connections::destroy);
        return connections;
    }

    private static RabbitTemplate template(CachingConnectionFactory connections) {
        RabbitTemplate template = new RabbitTemplate(connections);
        template.setMandatory(true);
        template.setMessageConverter(new JacksonJsonMessageConverter());
        return template;
    }

    /** The usual code without SafeBunny. */
    private CompletableFuture<Void> publish(RabbitTemplate template) {
        CorrelationData correlation = new CorrelationData(UUID.randomUUID().toString());
        template.convertAndSend(
                BenchBroker.EXCHANGE,
                BenchBroker.routingKey("Ping"),
                ping,
                message -> {
                    message.getMessageProperties().setMessageId(correlation.getId());
                    message.getMessageProperties().setCorrelationId("bench");
                    message.getMessageProperties().setType("Ping");
                    message.getMessageProperties().setAppId(BenchBroker.SOURCE);
                    return message;
                },
                correlation);
        return correlation.getFuture().thenAccept(confirm -> {
            if (!confirm.ack() || correlation.getReturned() != null) {
                throw new IllegalStateException("Not confirmed");
            }
        });
    }

    @Override
    public void close() {
        for (AutoCloseable each : opened) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException("Could not close the section", e);
            }
        }
    }
}
