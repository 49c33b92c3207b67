// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PoisonMessageException;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.autoconfigure.BillingProcess.Invoiced;
import io.safebunny.autoconfigure.BillingProcess.Told;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Starts;
import io.safebunny.test.broker.TestBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What docs/tracing.md says, with Spring Boot's tracing, OpenTelemetry's SDK and a broker. */
@Tag("once")
class TracesIT {

    private static final String NO_PARENT = "0000000000000000";

    private final String node = "shop-" + UUID.randomUUID().toString().substring(0, 8);
    private final TestBroker broker = broker(node);
    private final Spans spans = new Spans();
    private final ApplicationContextRunner runner = spans.in(Nodes.bare())
            .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
            .withPropertyValues(properties(node))
            .withPropertyValues(
                    "spring.rabbitmq.password=" + broker.password(),
                    "safebunny.store.type=memory",
                    "safebunny.retry.max-retries=0",
                    "safebunny.delayed-retry.delays=50ms");

    private String[] properties(String name) {
        return new String[] {
            "spring.application.name=" + name,
            "test.shop=" + node,
            "spring.rabbitmq.addresses=" + broker.host() + ":" + broker.port(),
            "spring.rabbitmq.username=" + broker.username(),
            "spring.rabbitmq.virtual-host=" + broker.virtualHost()
        };
    }

    private static TestBroker broker(String node) {
        TestBroker shared = TestBroker.shared();
        return shared.isPrivate() ? shared.createVirtualHost(node) : shared;
    }

    private String sent(Class<?> payload) {
        return "send safebunny:" + node + '-' + payload.getSimpleName();
    }

    private String processed(Class<?> payload) {
        return "process " + queue(payload);
    }

    private String queue(Class<?> payload) {
        return node + '-' + payload.getSimpleName();
    }

    private void assertLinkedTo(SpanData made, SpanData later) {
        assertThat(later.getTraceId()).isNotEqualTo(made.getTraceId());
        assertThat(later.getParentSpanId()).isEqualTo(NO_PARENT);
        assertThat(Spans.links(later)).containsExactly(Spans.id(made));
    }

    private void assertChildOf(SpanData made, SpanData child) {
        assertThat(child.getTraceId()).isEqualTo(made.getTraceId());
        assertThat(child.getParentSpanId()).isEqualTo(made.getSpanId());
        assertThat(Spans.links(child)).isEmpty();
    }

    @Test
    void publishHandleAndPublishIsOneTraceAcrossProcesses() throws Exception {
        String billing = node.replace("shop", "billing");
        runner.withPropertyValues("test.billing=" + billing)
                .withBean(Receiver.class)
                .run(context -> {
                    try (BillingProcess other = BillingProcess.start(broker.password(), List.of(properties(billing)))) {
                        ObservationRegistry registry = context.getBean(ObservationRegistry.class);

                        Observation.createNotStarted("order", registry)
                                .observe(() -> context.getBean(Bunny.class).publish(new OrderPlaced("1")));

                        context.getBean(Receiver.class).invoiced.next();
                        SpanData order = spans.named("order");
                        SpanData sent = spans.named(sent(OrderPlaced.class));
                        assertChildOf(order, sent);
                        Told created = other.span("create ");
                        Told process = other.span("process " + billing + "-OrderPlaced");
                        SpanData received = spans.named("process " + node + "-Invoiced");
                        assertThat(process.parentSpanId()).isEqualTo(sent.getSpanId());
                        assertThat(created.parentSpanId()).isEqualTo(process.spanId());
                        assertThat(received.getParentSpanId()).isEqualTo(created.spanId());
                        assertThat(Stream.of(
                                        sent.getTraceId(), process.traceId(), created.traceId(), received.getTraceId()))
                                .containsOnly(order.getTraceId());
                        assertThat(sent.getKind()).isEqualTo(SpanKind.PRODUCER);
                        assertThat(received.getKind()).isEqualTo(SpanKind.CONSUMER);
                    }
                });
    }

    @Test
    void aDelayedRetryIsALinkedTraceAndItsFailureHasAType() {
        runner.withBean(Failing.class).run(context -> {
            context.getBean(Failing.class).poison.set(false);

            context.getBean(Bunny.class).publish(new OrderPlaced("1"));

            SpanData sent = spans.named(sent(OrderPlaced.class));
            List<SpanData> attempts = spans.named(processed(OrderPlaced.class), 2);
            SpanData failed = attempts.get(0);
            assertChildOf(sent, failed);
            assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            assertThat(value(failed, "error.type")).isEqualTo(IllegalStateException.class.getName());
            assertLinkedTo(sent, attempts.get(1));
            assertThat(value(attempts.get(1), "error.type")).isNull();
            assertThat(attempts)
                    .extracting(span -> value(span, "messaging.destination.template"))
                    .containsOnly(queue(OrderPlaced.class));
        });
    }

    @Test
    void aReplayIsALinkedTrace() {
        runner.withBean(Failing.class).run(context -> {
            context.getBean(Bunny.class).publish(new OrderPlaced("1"));
            SpanData first = spans.named(processed(OrderPlaced.class));
            PoisonMessages poison = context.getBean(PoisonMessages.class);
            context.getBean(Failing.class).poison.set(false);

            Awaitility.await()
                    .until(() -> poison.replay(PoisonRequest.of(PoisonFilter.all(), "test", "mended"))
                                    .await(Duration.ofSeconds(10))
                                    .moved()
                            == 1);

            SpanData sent = spans.named(sent(OrderPlaced.class));
            assertChildOf(sent, first);
            assertLinkedTo(sent, spans.named(processed(OrderPlaced.class), 2).get(1));
        });
    }

    @Test
    void aDelayedMessageIsALinkedTrace() {
        runner.withBean(Calm.class).run(context -> {
            context.getBean(Bunny.class)
                    .publish(new OrderPlaced("1"), PublishOptions.none().withDelay(Duration.ofMillis(50)));

            assertLinkedTo(spans.named(sent(OrderPlaced.class)), spans.named(processed(OrderPlaced.class)));
        });
    }

    /** What sends it weeks later must not keep the trace open either. */
    @Test
    void aScheduledMessageIsALinkedTraceAndNothingLaterIsInTheOneThatScheduledIt() {
        runner.withPropertyValues("safebunny.scheduling.enabled=true")
                .withBean(Calm.class)
                .run(context -> {
                    ScheduledMessages scheduled = context.getBean(ScheduledMessages.class);
                    ObservationRegistry registry = context.getBean(ObservationRegistry.class);
                    PublishOptions later = PublishOptions.none().withDelay(Duration.ofSeconds(2));

                    Observation.createNotStarted("order", registry)
                            .observe(() -> scheduled.schedule(new OrderPlaced("1"), later));

                    SpanData processed = spans.named(processed(OrderPlaced.class));
                    SpanData made = spans.named("create safebunny:" + queue(OrderPlaced.class));
                    assertChildOf(spans.named("order"), made);
                    assertLinkedTo(made, processed);
                    SpanData rang = spans.named("process " + node + "-BunnyScheduled", 2)
                            .get(1);
                    assertThat(rang.getTraceId()).isNotEqualTo(made.getTraceId());
                    SpanData sent = spans.named(sent(OrderPlaced.class));
                    assertThat(sent.getTraceId()).isEqualTo(rang.getTraceId());
                    assertThat(sent.getParentSpanId()).isEqualTo(rang.getSpanId());
                    assertThat(Spans.links(sent)).containsExactly(Spans.id(made));
                });
    }

    @Test
    void aTimeoutIsATraceLinkedToTheOneThatSetIt() {
        runner.withBean(Waiting.class).run(context -> {
            context.getBean(Bunny.class).publish(new OrderPlaced("1"));

            SpanData started = spans.named(processed(OrderPlaced.class));
            SpanData set = spans.named("create safebunny:" + node + "-BunnyTimeout");
            assertChildOf(started, set);
            assertLinkedTo(set, spans.named("process " + node + "-BunnyTimeout"));
        });
    }

    /** The page pins a version of the conventions, and a later one may be another. */
    @Test
    void attributesAreTheDocumentedOnes() throws IOException {
        Set<String> documented = documented();
        runner.withBean(Failing.class).run(context -> {
            context.getBean(Bunny.class).publish(new OrderPlaced("1"));

            SpanData sent = spans.named(sent(OrderPlaced.class));
            SpanData processed = spans.named(processed(OrderPlaced.class));
            assertThat(keys(sent, processed)).isEqualTo(documented);
            String destination = "safebunny:" + queue(OrderPlaced.class);
            assertThat(value(sent, "messaging.destination.name")).isEqualTo(destination);
            assertThat(value(processed, "messaging.destination.name"))
                    .isEqualTo(destination + ':' + queue(OrderPlaced.class));
            assertThat(Stream.of(sent, processed).map(span -> value(span, "messaging.system")))
                    .containsOnly("rabbitmq");
            assertThat(value(sent, "messaging.operation.name")).isEqualTo("send");
            assertThat(value(sent, "messaging.operation.type")).isEqualTo("send");
            assertThat(value(processed, "messaging.operation.type")).isEqualTo("process");
            assertThat(value(processed, "messaging.message.id")).isEqualTo(value(sent, "messaging.message.id"));
            assertThat(value(processed, "messaging.message.conversation_id"))
                    .isNotNull()
                    .isEqualTo(value(sent, "messaging.message.conversation_id"));
        });
    }

    private static Set<String> keys(SpanData... all) {
        return Stream.of(all)
                .flatMap(span -> span.getAttributes().asMap().keySet().stream())
                .map(AttributeKey::getKey)
                .filter(key -> key.startsWith("messaging.") || key.startsWith("error."))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> documented() throws IOException {
        Matcher rows = Pattern.compile("^\\| `((?:messaging|error)\\.[a-z._]+)` \\|", Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("../docs/tracing.md")));
        Set<String> keys = new TreeSet<>();
        while (rows.find()) {
            keys.add(rows.group(1));
        }
        return keys;
    }

    private static @Nullable String value(SpanData span, String key) {
        return span.getAttributes().get(AttributeKey.stringKey(key));
    }

    static class Receiver {
        final Received<Invoiced> invoiced = new Received<>();

        @BunnyHandler(from = "${test.billing}")
        void on(Invoiced invoice) {
            invoiced.add(invoice);
        }
    }

    static class Calm {
        @BunnyHandler(from = "${test.shop}")
        void on(OrderPlaced order) {}
    }

    static class Failing {
        final AtomicBoolean poison = new AtomicBoolean(true);
        private final Set<String> seen = ConcurrentHashMap.newKeySet();

        @BunnyHandler(from = "${test.shop}")
        void on(OrderPlaced order, MessageContext context) {
            if (poison.get()) {
                throw new PoisonMessageException("on purpose");
            }
            if (context.attempt() == 0 && !context.redelivered() && seen.add(order.orderId())) {
                throw new IllegalStateException("once");
            }
        }
    }

    @BunnySaga
    static class Waiting {
        record State(String orderId) {}

        @Starts
        @BunnyHandler(from = "${test.shop}")
        State on(OrderPlaced placed, SagaContext saga) {
            saga.timeout("late", Duration.ofSeconds(2)); // one that is over when it is stored is not delayed
            return new State(placed.orderId());
        }

        @OnTimeout("late")
        void late(SagaContext saga) {
            saga.complete();
        }
    }
}
