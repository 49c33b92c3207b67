// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static io.safebunny.autoconfigure.actuate.HttpCalls.get;
import static io.safebunny.autoconfigure.actuate.HttpCalls.isProblem;
import static io.safebunny.autoconfigure.actuate.HttpCalls.post;
import static io.safebunny.autoconfigure.actuate.HttpCalls.read;
import static io.safebunny.autoconfigure.actuate.HttpCalls.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.BunnyOperations;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.time.SystemTimeline;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.actuate.audit.listener.AuditListener;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** Over HTTP: the operations of one instance, asked at another one of the same node. */
@Tag("once")
class OperationsOverHttpTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final SystemTimeline timeline = new SystemTimeline("shared");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBroker broker = new MemoryBroker(timeline, threads);
    private final ReactiveWebApplicationContextRunner node =
            HttpCalls.node().withBean(MemoryBroker.class, () -> broker).withBean(Handler.class);

    record Charge(int cents) {}

    static class Handler {
        @BunnyHandler(from = "shop")
        void on(Charge charge) {
            throw new IllegalStateException("nothing to charge");
        }
    }

    @AfterEach
    void end() {
        threads.shutdownNow();
        timeline.close();
    }

    private static String name(AssertableReactiveWebApplicationContext context) {
        return context.getBean(BunnyOperations.class).instance();
    }

    private static void setAsideTwo(AssertableReactiveWebApplicationContext context) {
        context.getBean(Bunny.class).publish(new Charge(1));
        context.getBean(Bunny.class).publish(new Charge(2));
        PoisonMessages poison = context.getBean(PoisonMessages.class);
        await().atMost(SOON)
                .until(() -> poison.list(PoisonFilter.all()).messages().size() == 2);
    }

    private static String begin(AssertableReactiveWebApplicationContext context, String more) {
        HttpResponse<String> begun = post(
                context,
                "safebunnypoison",
                "{'action':'discard','all':'true','reason':'they are too old'%s}".formatted(more));
        return read(begun, "$.operation");
    }

    @Test
    void oneOfAnotherInstanceIsShownAndCannotBeStoppedHere() {
        node.run(one -> node.run(other -> {
            setAsideTwo(one);
            String dry = begin(one, ",'dryRun':'true'");
            await().atMost(SOON).untilAsserted(() -> {
                HttpResponse<String> told = get(other, "safebunny/operations/" + dry);
                assertThat((String) read(told, "$.state")).isEqualTo("ENDED");
                assertThat((Boolean) read(told, "$.elsewhere")).isTrue();
                assertThat((String) read(told, "$.instance")).isEqualTo(name(one));
                assertThat((Boolean) read(told, "$.dryRun")).isTrue();
                assertThat((Integer) read(told, "$.moved")).isZero();
                assertThat((Integer) read(told, "$.wouldMove")).isEqualTo(2);
                assertThat((String) read(told, "$.note")).contains(name(one)).doesNotContain("DELETE");
            });

            String slow = begin(one, ",'rate':'0.001'");
            await().atMost(SOON).untilAsserted(() -> {
                HttpResponse<String> told = get(other, "safebunny/operations/" + slow);
                assertThat((String) read(told, "$.state")).isEqualTo("RUNNING");
                assertThat((Integer) read(told, "$.moved")).isEqualTo(1);
                assertThat(told.body()).doesNotContain("wouldMove", "too old");
                assertThat((String) read(told, "$.note")).contains("DELETE operations/" + slow);
                assertThat(HttpCalls.<List<String>>read(
                                get(other, "safebunny/operations"), "$.elsewhere.operations[*].operation"))
                        .containsExactly(slow);
            });
            HttpRequest.Builder delete = HttpRequest.newBuilder().DELETE();
            isProblem(send(other, "safebunny/operations/" + slow, delete), 409, "Instance " + name(one));
            assertThat((String) read(get(one, "safebunny/operations/" + slow), "$.state"))
                    .isEqualTo("RUNNING");
            assertThat((String) read(send(one, "safebunny/operations/" + slow, delete), "$.state"))
                    .isEqualTo("CANCELLED");
        }));
    }

    @Test
    void oneThatNobodyHasMayBeThatOfAnInstanceWhichDoesNotSay() {
        node.run(one -> {
            isProblem(get(one, "safebunny/operations/op-7"), 404, "op-7");
            node.withPropertyValues("safebunny.operations.answers=none").run(mute -> {
                HttpRequest.Builder delete = HttpRequest.newBuilder().DELETE();
                await().atMost(SOON)
                        .untilAsserted(() -> isProblem(
                                get(one, "safebunny/operations/op-7"),
                                404,
                                "\"silent\":{\"%s\":\"answers nobody".formatted(name(mute))));
                isProblem(send(one, "safebunny/operations/op-7", delete), 404, name(mute) + " did not say what it has");
            });
        });
    }

    /** Who began it and why is in the application's own repository, or nowhere but at the other instance. */
    @Test
    void theAuditTellsWhatCameOfThoseThatOthersBegan() {
        InMemoryAuditEventRepository shared = new InMemoryAuditEventRepository();
        ReactiveWebApplicationContextRunner audited = node.withPropertyValues(
                "management.auditevents.enabled=false", "management.endpoint.safebunny.show-audit=always");
        ReactiveWebApplicationContextRunner kept = audited.withBean(AuditEventRepository.class, () -> shared)
                .withBean(AuditListener.class, () -> new AuditListener(shared));
        kept.run(one -> kept.run(other -> {
            setAsideTwo(one);
            String discard = begin(one, "");
            await().atMost(SOON).untilAsserted(() -> {
                HttpResponse<String> told = get(other, "safebunny/audit");
                assertThat((String) read(told, "$.events[0].detail"))
                        .isEqualTo("moved 2 of 2, as instance %s says".formatted(name(one)));
                assertThat((String) read(told, "$.events[0].result")).isEqualTo("ENDED");
                assertThat((String) read(told, "$.events[0].operation")).isEqualTo(discard);
                assertThat(told.body()).doesNotContain("elsewhere");
            });
            assertThat(HttpCalls.<List<?>>read(
                            get(other, "safebunny/audit?elsewhere=true&action=PAUSE"), "$.elsewhere.operations"))
                    .isEmpty();
            isProblem(get(other, "safebunny/audit?elsewhere=true&by=ann"), 400, "by=ann");
            audited.withPropertyValues("safebunny.operations.answers=none")
                    .run(mute -> await().atMost(SOON).untilAsserted(() -> {
                        Map<String, Object> elsewhere =
                                read(get(other, "safebunny/audit?elsewhere=true&action=DISCARD"), "$.elsewhere");
                        assertThat(elsewhere.get("operations")).asString().contains(discard, name(one), "\"moved\":2");
                        assertThat(elsewhere.get("silent")).asString().contains(name(mute));
                        assertThat(elsewhere.toString()).doesNotContain("too old");
                    }));
        }));
    }
}
