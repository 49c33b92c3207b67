// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import io.safebunny.message.WireMessage;
import io.safebunny.transport.OutboundMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What copies keep of a message, also of what this version of the library does not know. */
class CarriedTest {

    private static final Wires DELIVERED = Wires.orderPlaced()
            .withBody("{ \"orderId\" : \"ü\" , \"total\" : 1 }")
            .with("content_encoding", "UTF-8")
            .with("priority", 7)
            .withHeader("tenant", "acme")
            .withHeader("sb-undoes", "e45168e9")
            .withHeader("sb-x-step", 4_000_000_000L)
            .withHeader("sb-x-flag", true);

    private final Node node = new Node(Node.SIX_ATTEMPTS).failing(new IllegalStateException("failed"));

    private WireMessage retryOf(Wires message) {
        RecordedDelivery delivery = node.deliver(message);
        assertThat(delivery.acknowledged()).isEqualTo(1);
        return node.transport.returned().get(0).message();
    }

    private WireMessage comeBackOf(Wires message) {
        node.breakers.open(OrderPlaced.class, Duration.ofMinutes(1));
        return retryOf(message);
    }

    private static WireMessage poisonOf(Wires message) {
        Node once = new Node(Node.ONE_ATTEMPT).failing(new IllegalStateException("failed"));
        once.deliver(message);
        return once.transport.poisoned().get(0).message();
    }

    private static void requireKept(WireMessage copy) {
        assertThat(copy.body()).isSameAs(DELIVERED.body());
        assertThat(copy.contentEncoding()).isEqualTo("UTF-8");
        assertThat(copy.priority()).isEqualTo(7);
        assertThat(copy.headers())
                .containsEntry("tenant", "acme")
                .containsEntry("sb-undoes", "e45168e9")
                .containsEntry("sb-x-step", 4_000_000_000L)
                .containsEntry("sb-x-flag", true);
    }

    @Test
    void aRetryKeepsWhatALaterVersionAdded() {
        WireMessage retry = retryOf(DELIVERED);

        requireKept(retry);
        assertThat(retry.headers()).containsEntry("sb-attempt", 1);
    }

    @Test
    void aMessageThatComesBackKeepsIt() {
        WireMessage back = comeBackOf(DELIVERED);

        requireKept(back);
        assertThat(back.headers()).containsEntry("sb-attempt", 0);
    }

    @Test
    void aPoisonCopyKeepsIt() {
        requireKept(poisonOf(DELIVERED));
    }

    @Test
    void aRefusedMessageKeepsItToo() {
        WireMessage refused = poisonOf(DELIVERED.with("correlation_id", null));

        requireKept(refused);
        assertThat(refused.headers()).containsEntry("sb-poison-reason", "missing-property");
    }

    @Test
    void whatIsCarriedIsNotBelieved() {
        AtomicReference<Map<String, Object>> seen = new AtomicReference<>(Map.of());
        node.handler = (payload, context) -> {
            seen.set(context.headers());
            node.bunny().publish(payload);
        };
        node.deliver(DELIVERED);

        assertThat(seen.get()).containsOnly(Map.entry("tenant", "acme"));
        List<OutboundMessage> published = node.transport.published();
        assertThat(published.get(0).message().headers()).doesNotContainKeys("sb-undoes", "sb-x-step", "sb-x-flag");
        assertThat(published.get(0).message().priority()).isNull();
    }

    @Test
    void whatTheDelayAndThePoisonCopyWriteIsWrittenAnew() {
        Wires before = Wires.orderPlaced()
                .withHeader("sb-delay", "06")
                .withHeader("sb-delay-06", "retry")
                .withHeader("sb-delay-to", "publish")
                .withHeader("sb-delay-priority", 9)
                .withHeader("sb-poison-reason", "forged")
                .withHeader("sb-poison-queue", "elsewhere")
                .withHeader("sb-poison-later", 1)
                .withHeader("sb-poison-digest", "0");

        assertThat(retryOf(before).headers().keySet())
                .containsExactlyInAnyOrder("sb-marker", "sb-attempt", "sb-causation-id", "sb-sent-at");
        assertThat(poisonOf(before).headers())
                .doesNotContainKeys("sb-delay", "sb-delay-06", "sb-delay-to", "sb-delay-priority", "sb-poison-later")
                .containsEntry("sb-poison-reason", "handler-failed")
                .containsEntry("sb-poison-queue", Node.QUEUE);
    }

    @Test
    void whatIsNestedOrNotOursIsLeftBehind() {
        Wires hostile = Wires.orderPlaced()
                .withHeader("sb-x-list", List.of("a"))
                .withHeader("sb-x-table", Map.of("a", 1))
                .withHeader("sb-x-bytes", new byte[] {1})
                .withHeader("SB-ATTEMPT", 3)
                .withHeader("x-new", "a")
                .withHeader("sb-", "a");

        for (WireMessage copy : List.of(retryOf(hostile), poisonOf(hostile))) {
            assertThat(copy.headers())
                    .doesNotContainKeys("sb-x-list", "sb-x-table", "sb-x-bytes", "SB-ATTEMPT", "x-new", "sb-");
        }
    }

    @Test
    void everythingIsCarriedOrTheMessageIsTooLarge() {
        Wires many = Wires.orderPlaced();
        Wires large = Wires.orderPlaced().withHeader("tenant", "acme");
        for (int i = 0; i < 200; i++) {
            many = many.withHeader("sb-x-" + i, i);
            large = large.withHeader("sb-x-" + i, "a".repeat(100));
        }

        for (WireMessage copy : List.of(retryOf(many), poisonOf(many))) {
            assertThat(copy.headers().keySet())
                    .filteredOn(name -> name.startsWith("sb-x-"))
                    .hasSize(200);
        }
        assertThat(poisonOf(large).headers())
                .containsEntry("sb-poison-reason", "too-large")
                .containsEntry("tenant", "acme")
                .containsAllEntriesOf(large.wire().headers());
    }

    @Test
    void aReplayThatWasNotBegunComesBackAsOne() {
        Map<String, Object> back = comeBackOf(
                        DELIVERED.withHeader("sb-poisoned-at", 5L).withHeader("sb-poison-version", 3L))
                .headers();

        assertThat(back)
                .containsEntry("sb-poisoned-at", 5L)
                .containsEntry("sb-poison-version", 3L)
                .containsEntry("sb-undoes", "e45168e9");
    }
}
