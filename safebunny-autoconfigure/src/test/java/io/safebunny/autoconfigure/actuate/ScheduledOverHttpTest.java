// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.isProblem;
import static io.safebunny.autoconfigure.actuate.HttpCalls.post;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.doubles.ForwardingMessageStore;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.OnTimeout;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.Sagas;
import io.safebunny.saga.Starts;
import io.safebunny.store.MessageStore;
import io.safebunny.store.Outbox;
import io.safebunny.store.record.MessageRecord;
import io.safebunny.store.record.RecordKey;
import io.safebunny.time.Timeline;
import io.safebunny.transport.OutboundMessage;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is due when, and what the outbox waits for, over HTTP. */
class ScheduledOverHttpTest {

    private static final String SCHEDULED = "safebunny/scheduled";

    private static final ReactiveWebApplicationContextRunner NODE = HttpCalls.node()
            .withBean(Handler.class)
            .withBean(Auditor.class)
            .withPropertyValues("safebunny.scheduling.enabled=true", "management.endpoint.safebunny.show-audit=always");

    record ReminderDue(String orderId) {}

    record PlaceOrder(String note) {}

    static class Handler {
        private final Set<String> reminded = ConcurrentHashMap.newKeySet();

        @BunnyHandler(from = "shop")
        void on(ReminderDue reminder) {
            reminded.add(reminder.orderId());
        }
    }

    @BunnySaga
    static class Order {
        record State(String note) {}

        record Late() {}

        @Starts
        @BunnyHandler(from = "shop")
        State on(PlaceOrder order, SagaContext saga) {
            saga.timeout("late", Duration.ofHours(1));
            return new State(order.note());
        }

        @OnTimeout("late")
        void late(SagaContext saga) {}
    }

    private static String schedule(AssertableReactiveWebApplicationContext context, String order, Duration delay) {
        ScheduledMessages messages = context.getBean(ScheduledMessages.class);
        String handle = messages.schedule(
                new ReminderDue(order),
                PublishOptions.none().withCorrelationId("order-" + order).withDelay(delay));
        await().until(() -> messages.find(handle).isPresent());
        return handle.split("~", -1)[1];
    }

    private static List<String> ids(AssertableReactiveWebApplicationContext context, String query) {
        return read(get(context, SCHEDULED + query), "$.messages[*].id");
    }

    private static List<String> audited(AssertableReactiveWebApplicationContext context) {
        return context.getBean(Auditor.class).heard().stream()
                .map(AuditEvent::getType)
                .toList();
    }

    @Test
    void listsWhatIsDueFirstWithoutBodies() {
        NODE.run(context -> {
            String later = schedule(context, "secret-2", Duration.ofHours(2));
            String sooner = schedule(context, "secret-1", Duration.ofHours(1));

            HttpResponse<String> all = get(context, SCHEDULED);
            assertThat((Boolean) read(all, "$.present")).isTrue();
            assertThat(ids(context, "")).containsExactly(sooner, later);
            Map<String, Object> first = read(all, "$.messages[0]");
            assertThat(first)
                    .containsEntry("status", "WAITING")
                    .containsEntry("type", "ReminderDue")
                    .containsEntry("correlationId", "order-secret-1")
                    .containsEntry("causationId", null)
                    .containsEntry("endedAt", null)
                    .containsKeys("dueAt", "scheduledAt")
                    .hasSize(8);
            assertThat(all.body()).doesNotContain("\"secret-1\"", "orderId");

            assertThat(ids(context, "?correlation=order-secret-2")).containsExactly(later);
            assertThat(ids(context, "?type=Nothing")).isEmpty();
            HttpResponse<String> page = get(context, SCHEDULED + "?limit=1");
            String next = read(page, "$.next");
            assertThat((Integer) read(page, "$.scanned")).isEqualTo(1);
            assertThat(ids(context, "?limit=1&after=" + next)).containsExactly(later);
            Object end = read(get(context, SCHEDULED + "?limit=1&after=" + next), "$.next");
            assertThat(end).isNull();
            assertThat((String) read(get(context, SCHEDULED + "/" + later), "$.correlationId"))
                    .isEqualTo("order-secret-2");
            assertThat((String) read(get(context, SCHEDULED + "?messageId=" + later), "$.id"))
                    .isEqualTo(later);
        });
    }

    @Test
    void cancelsMovesAndHasOneRunNowAndIsAudited() {
        NODE.run(context -> {
            String cancelled = schedule(context, "1", Duration.ofHours(1));
            String moved = schedule(context, "2", Duration.ofHours(1));
            String run = schedule(context, "3", Duration.ofHours(1));

            HttpResponse<String> answer =
                    post(context, SCHEDULED + "/" + cancelled, "{'action':'cancel','reason':'the order is gone'}");
            assertThat((String) read(answer, "$.message.status")).isEqualTo("CANCELLED");
            assertThat((String) read(answer, "$.note")).contains("idempotency key");
            assertThat((String) read(answer, "$.instance")).isNotEmpty();
            Instant to = Instant.parse("2099-01-01T00:00:00Z");
            isProblem(
                    post(
                            context,
                            SCHEDULED + "/" + moved,
                            "{'action':'cancel','dueAt':'2026-01-01T00:00:00Z','reason':'why'}"),
                    409,
                    "and not when you have seen it");
            context.getBean(Auditor.class).heard().clear();
            isProblem(
                    post(context, SCHEDULED + "/" + moved, "{'action':'move','at':'%s','reason':'why'}".formatted(to)),
                    400,
                    "at most 365 days");
            Instant tomorrow =
                    Instant.now().plus(Duration.ofDays(1)).truncatedTo(java.time.temporal.ChronoUnit.SECONDS);
            answer = post(
                    context, SCHEDULED + "/" + moved, "{'action':'move','at':'%s','reason':'why'}".formatted(tomorrow));
            assertThat((String) read(answer, "$.message.dueAt")).isEqualTo(tomorrow.toString());
            answer = post(context, SCHEDULED, "{'action':'run','messageId':'%s','reason':'why wait'}".formatted(run));
            assertThat((String) read(answer, "$.note")).contains("BunnyScheduled");
            await().until(() -> context.getBean(Handler.class).reminded.contains("3"));

            assertThat(ids(context, "")).containsExactly(moved);
            assertThat((String) read(get(context, SCHEDULED + "/" + cancelled), "$.status"))
                    .isEqualTo("CANCELLED");
            for (String late : List.of("cancel", "run")) {
                isProblem(
                        post(context, SCHEDULED + "/" + run, "{'action':'%s','reason':'why'}".formatted(late)),
                        409,
                        "it was published at ");
            }
            isProblem(
                    post(context, SCHEDULED + "/" + cancelled, "{'action':'run','reason':'why'}"),
                    409,
                    "it was cancelled at ");
            assertThat(audited(context))
                    .containsExactly(
                            "SAFEBUNNY_SCHEDULED_MOVE",
                            "SAFEBUNNY_SCHEDULED_RUN",
                            "SAFEBUNNY_SCHEDULED_CANCEL_REFUSED",
                            "SAFEBUNNY_SCHEDULED_RUN_REFUSED",
                            "SAFEBUNNY_SCHEDULED_RUN_REFUSED");
            assertThat(context.getBean(Auditor.class).heard().get(0).getData())
                    .containsEntry("messageId", moved)
                    .containsEntry("type", "ReminderDue")
                    .containsEntry("correlationId", "order-2")
                    .containsEntry("at", tomorrow.toString())
                    .containsEntry("reason", "why")
                    .containsKey("dueAt");
            assertThat(HttpCalls.<List<String>>read(get(context, "safebunny/audit"), "$.events[*].result"))
                    .containsExactly("REFUSED", "REFUSED", "REFUSED", "DONE", "DONE", "REFUSED", "DONE");
        });
    }

    /** A store that writes, and then fails in a way that it should not. */
    @Configuration(proxyBeanMethods = false)
    static class FaultyStore {

        private final AtomicBoolean isArmed = new AtomicBoolean();
        private final AtomicBoolean isBroken = new AtomicBoolean();

        @Bean
        MessageStore store(Timeline timeline) {
            return new ForwardingMessageStore(new MemoryMessageStore(timeline, Duration.ofDays(7))) {
                @Override
                public @Nullable MessageRecord replace(MessageRecord record) {
                    MessageRecord written = super.replace(record);
                    if (record.key().isShared() && isArmed.get()) {
                        isBroken.set(true);
                        throw new IllegalStateException("test");
                    }
                    return written;
                }

                @Override
                public @Nullable MessageRecord find(RecordKey key) {
                    if (isBroken.get()) {
                        throw new IllegalStateException("test");
                    }
                    return super.find(key);
                }
            };
        }
    }

    @Test
    void whatMayHaveBeenDoneIsAuditedWhateverHasFailed() {
        NODE.withUserConfiguration(FaultyStore.class).run(context -> {
            String id = schedule(context, "1", Duration.ofHours(1));
            FaultyStore store = context.getBean(FaultyStore.class);
            store.isArmed.set(true);

            HttpResponse<String> answer =
                    post(context, SCHEDULED + "/" + id, "{'action':'cancel','reason':'the order is gone'}");

            assertThat(answer.statusCode()).isEqualTo(500);
            store.isBroken.set(false);
            assertThat((String) read(get(context, SCHEDULED + "/" + id), "$.status"))
                    .isEqualTo("CANCELLED");
            assertThat(context.getBean(Auditor.class).heard()).singleElement().satisfies(event -> {
                assertThat(event.getType()).isEqualTo("SAFEBUNNY_SCHEDULED_CANCEL_FAILED");
                assertThat(event.getData()).containsEntry("messageId", id).containsEntry("failure", "test");
            });
        });
    }

    @Test
    void refusesWhatMeansNothingAndChangesNothing() {
        NODE.run(context -> {
            String id = schedule(context, "1", Duration.ofHours(1));
            String place = SCHEDULED + "/" + id;
            Map.of(
                            "{'action':'run'}", "reason=missing",
                            "{'action':'drop','reason':'why'}", "cancel or move or run",
                            "{'action':'move','reason':'why'}", "at=missing",
                            "{'action':'move','at':'noon','reason':'why'}", "at=noon",
                            "{'action':'move','at':'2020-01-01T00:00:00Z','reason':'why'}", "in the past",
                            "{'action':'cancel','at':'2099-01-01T00:00:00Z','reason':'why'}",
                                    "for the action move only",
                            "{'action':'cancel','messageId':'x','reason':'why'}", "the path says it",
                            "{'action':'cancel','state':'open','reason':'why'}", "it is for",
                            "{'action':'cancel','dryRun':true,'reason':'why'}", "dryRun=true")
                    .forEach((body, named) -> isProblem(post(context, place, body), 400, named));
            isProblem(post(context, SCHEDULED, "{'action':'cancel','reason':'why'}"), 400, "messageId=missing");
            isProblem(post(context, SCHEDULED + "/nobody", "{'action':'cancel','reason':'why'}"), 404, "SB-5013");
            isProblem(get(context, SCHEDULED + "/nobody"), 404, "has not reached the store yet");
            isProblem(get(context, SCHEDULED + "?after=x"), 400, "value of next");
            isProblem(get(context, SCHEDULED + "?limit=101"), 400, "limit=101");
            isProblem(get(context, place + "?type=X"), 400, "for lists only");

            assertThat(ids(context, "")).containsExactly(id);
            assertThat(audited(context)).isEmpty();
        });
    }

    @Test
    void saysWhatToRepairIfATimeoutOfASagaIsMeant() {
        NODE.withBean(Order.class).run(context -> {
            context.getBean(Bunny.class)
                    .publish(new PlaceOrder("a gift"), PublishOptions.none().withCorrelationId("order-9"));
            await().until(() -> !context.getBean(Sagas.class).find("order-9").isEmpty());

            assertThat(ids(context, "")).isEmpty();
            isProblem(
                    post(context, SCHEDULED + "/order-9", "{'action':'cancel','reason':'why'}"),
                    404,
                    "POST safebunny/sagas/order-9 with the action fail");
        });
    }

    @Test
    void whoMayOnlyLookChangesNothing() {
        NODE.withPropertyValues("management.endpoint.safebunny.write-roles=CHIEF")
                .run(context -> {
                    String id = schedule(context, "1", Duration.ofHours(1));

                    isProblem(
                            post(context, SCHEDULED + "/" + id, "{'action':'cancel','reason':'why'}"),
                            403,
                            "management.endpoint.safebunny.write-roles");
                    assertThat(ids(context, "")).containsExactly(id);
                });
    }

    @Test
    void aNodeThatKeepsNoneSaysWhatToSet() {
        HttpCalls.node().run(context -> {
            assertThat((Boolean) read(get(context, SCHEDULED), "$.present")).isFalse();
            assertThat((String) read(get(context, SCHEDULED), "$.note")).contains("safebunny.scheduling.enabled=true");
            isProblem(
                    post(context, SCHEDULED + "/x", "{'action':'cancel','reason':'why'}"),
                    404,
                    "safebunny.scheduling.enabled=true");
            isProblem(get(context, SCHEDULED + "/x"), 404, "safebunny.scheduling.enabled=true");
        });
    }

    /** An outbox of two messages that nobody takes. */
    static class Stuck implements Outbox {
        @Override
        public boolean add(OutboundMessage message) {
            return false;
        }

        @Override
        public void start(Function<OutboundMessage, CompletableFuture<Void>> sender) {}

        @Override
        public @Nullable Backlog waiting() {
            return new Backlog(
                    2,
                    false,
                    Instant.parse("2026-01-01T10:41:00Z"),
                    false,
                    Instant.parse("2026-01-01T10:42:00Z"),
                    null,
                    List.of("shop-Pay: no queue is bound for it."));
        }

        @Override
        public List<Unsent> findCorrelated(String correlationId, int limit) {
            return List.of();
        }

        @Override
        public List<String> findCorrelationIds(String messageId, int limit, Duration atMost) {
            return List.of();
        }

        @Override
        public void stop() {}
    }

    @Test
    void theOutboxSaysWhatItWaitsForInHealthAndNowAsWell() {
        NODE.withBean(Outbox.class, Stuck::new)
                .withPropertyValues("management.endpoint.health.show-details=always")
                .run(context -> {
                    HttpResponse<String> outbox = get(context, "safebunny/outbox");
                    String words =
                            "2 messages wait in the outbox, the oldest since 2026-01-01T10:41:00Z. shop-Pay: no queue is bound for it.";
                    assertThat(HttpCalls.<Map<String, Object>>read(outbox, "$"))
                            .containsEntry("present", true)
                            .containsEntry("level", "DEGRADED")
                            .containsEntry("words", words)
                            .containsEntry("waitsFor", List.of("shop-Pay: no queue is bound for it."))
                            .containsEntry("backlog", 2)
                            .containsEntry("more", false)
                            .containsEntry("oldest", "2026-01-01T10:41:00Z")
                            .containsEntry("asOf", "2026-01-01T10:42:00Z");
                    assertThat(HttpCalls.<List<String>>read(get(context, "safebunny/now"), "$.words"))
                            .contains(words);
                    assertThat((Integer) read(get(context, "safebunny/now"), "$.counts.outbox"))
                            .isEqualTo(2);
                    assertThat(HttpCalls.<List<String>>read(
                                    get(context, "safebunny/now"), "$.parts[?(@.part=='outbox')].page"))
                            .containsExactly("#/waiting");
                    assertThat((String) read(get(context, "health/safebunny/outbox"), "$.status"))
                            .isEqualTo("DEGRADED");
                });
    }
}
