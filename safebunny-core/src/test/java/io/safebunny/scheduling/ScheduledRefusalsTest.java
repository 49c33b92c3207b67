// SPDX-License-Identifier: Apache-2.0
package io.safebunny.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.PublishOptions;
import io.safebunny.ScheduledMessages;
import io.safebunny.engine.SafeBunnyEngine;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.identity.MarkerMaskIdScheme;
import io.safebunny.memory.MemoryMessageStore;
import io.safebunny.memory.MemoryTransport;
import io.safebunny.message.WireMessage;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.node.SafeBunnyParts;
import io.safebunny.observation.Observations;
import io.safebunny.publishing.LibraryMessages;
import io.safebunny.store.record.RecordJson;
import io.safebunny.time.Deadline;
import io.safebunny.topology.TopologyOptions;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be scheduled, cancelled or moved, and who says so. */
class ScheduledRefusalsTest {

    private static final PublishOptions SOON = PublishOptions.none().withDelay(Duration.ofMinutes(1));
    private static final String ID = "3f0e6d8a-0000-8000-8000-000000000001";

    private final Desk desk = new Desk();
    private final ScheduledMessages messages = desk.messages();

    private void refused(Object payload, PublishOptions options, String told) {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> messages.schedule(payload, options))
                .withMessageContaining(told);
        desk.world.pass(Duration.ofMinutes(2));
        assertThat(desk.own).isZero();
    }

    @Test
    void aMessageWithoutATime() {
        refused(new PaymentCaptured("1"), PublishOptions.none(), "Nothing to wait for");
    }

    @Test
    void whatNoPublicationMayHave() {
        refused(new PaymentCaptured("1"), SOON.withDelay(Duration.ofDays(366)), "Invalid delay");
        refused(new PaymentCaptured("1"), SOON.withCorrelationId("a b"), "Invalid correlation id");
        refused(new PaymentCaptured("1"), SOON.droppedIfUnheard(), "droppedIfUnheard()");
    }

    @Test
    void aLargeMessage() {
        refused(new PaymentCaptured("1".repeat(256 * 1024)), SOON, "Message too large to be scheduled");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "desk",
                "desk~" + ID,
                "desk~" + ID + "~",
                "desk~a b~1",
                "desk~" + ID + "~!",
                "desk~" + ID + "~1~1"
            })
    void aTextThatIsNoHandle(String handle) {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> messages.cancel(handle))
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-5013"));
    }

    @Test
    void aHandleOfAnotherNode() {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() -> messages.move("post~" + ID + "~1", Instant.EPOCH))
                .withMessageContaining("another node");
    }

    @Test
    void anInstantTooFarAway() {
        String handle = desk.schedule("1", Duration.ofMinutes(1));

        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> messages.move(handle, Instant.MAX));
    }

    @Test
    void anythingByANodeThatKeepsNone() {
        assertThatExceptionOfType(MisuseException.class)
                .isThrownBy(() ->
                        desk.world.engine("post").get(ScheduledMessages.class).cancel("any"))
                .withMessageContaining("safebunny.scheduling.enabled=true")
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-5013"));
    }

    private SafeBunnyParts.Builder node() {
        return SafeBunnyParts.builder(
                        SafeBunnyOptions.of("other"),
                        new MemoryTransport(desk.world.broker, TopologyOptions.defaults()),
                        desk.world.timeline)
                .scheduling(true);
    }

    @Test
    void aNodeThatCannotKeepAny() {
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() -> new SafeBunnyEngine(node().build()))
                .satisfies(e -> assertThat(e.code()).isEqualTo("SB-1109"))
                .withMessageContaining("need a store");
        assertThatExceptionOfType(ConfigurationException.class)
                .isThrownBy(() ->
                        new SafeBunnyEngine(node().store(new MemoryMessageStore(desk.world.timeline, Desk.RETENTION))
                                .idScheme(new MarkerMaskIdScheme())
                                .build()))
                .withMessageContaining("marker-mask");
    }

    // ---- messages that others write into the queue

    private void forged(String node, String type, Duration age) {
        WireMessage inner = new WireMessage(
                ID,
                "saga",
                type,
                node,
                null,
                "application/json",
                null,
                Map.of(),
                "{\"orderId\":\"1\"}".getBytes(StandardCharsets.UTF_8));
        OutboundMessage anywhere = new OutboundMessage(inner, new Route.ToQueue("post-PaymentCaptured"), Duration.ZERO);
        Instant then = desk.world.timeline.now().minus(age);
        OutboundMessage message = new LibraryMessages(
                        "desk", new LineageIdScheme(), desk.world.timeline, Observations.none())
                .first(ID, ID, new BunnyScheduled(RecordJson.writeOutgoing(List.of(anywhere)), 1), then, then);
        new MemoryTransport(desk.world.broker, TopologyOptions.defaults())
                .send(message, Deadline.after(Duration.ofSeconds(5), desk.world.timeline))
                .join();
        desk.world.settle();
    }

    @Test
    void goOutOnlyAsPublicationsOfTheNode() {
        forged("desk", "PaymentCaptured", Duration.ZERO);
        assertThat(desk.arrivals).hasSize(1);
    }

    @Test
    void neverInAnothersName() {
        forged("bank", "PaymentCaptured", Duration.ZERO);
        assertThat(desk.world.poison("desk")).hasSize(1);
        assertThat(desk.arrivals).isEmpty();
    }

    @Test
    void neverInTheLibrarysName() {
        forged("desk", "BunnyRepair", Duration.ZERO);
        assertThat(desk.world.poison("desk")).hasSize(1);
    }

    @Test
    void neverWhenACancellationMayBeForgotten() {
        forged("desk", "PaymentCaptured", Desk.RETENTION);
        assertThat(desk.world.poison("desk")).hasSize(1);
        assertThat(desk.arrivals).isEmpty();
    }
}
