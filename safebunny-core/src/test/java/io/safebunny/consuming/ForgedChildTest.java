// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.ForgedBody;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import io.safebunny.identity.Ancestry;
import io.safebunny.identity.LineageIdScheme;
import io.safebunny.message.WireMessage;
import io.safebunny.transport.OutboundMessage;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A node that sees a message computes the id of what follows from it, and publishes under that id first. */
class ForgedChildTest {

    private static final String QUEUE = "billing-PaymentCaptured";
    private static final byte[] GENUINE = "{\"orderId\":\"o-1\"}".getBytes(StandardCharsets.UTF_8);

    private static Wires forged(String body) {
        String id = new LineageIdScheme()
                .idOf(new Ancestry(Wires.CORRELATION_ID, Wires.ID, "billing", "PaymentCaptured", "1", 3));
        return Wires.orderPlaced()
                .with("message_id", id)
                .with("type", "PaymentCaptured")
                .with("app_id", "billing")
                .withBody(body);
    }

    /** @return the genuine message, delivered after the forged one */
    private static WireMessage attack(Node node, String body) {
        node.handler = (payload, context) -> node.bunny().publish(new PaymentCaptured("o-1"));
        node.deliver(new RecordedDelivery(QUEUE, forged(body).wire()));
        assertThat(node.transport.poisoned()).isEmpty();
        node.deliver();
        OutboundMessage genuine = node.transport.published().get(0);
        assertThat(genuine.message().body()).isEqualTo(GENUINE);
        node.deliver(new RecordedDelivery(QUEUE, genuine.message()));
        return genuine.message();
    }

    private static void expectSetAside(String body) {
        Node node = new Node(new LineageIdScheme());
        WireMessage genuine = attack(node, body);

        assertThat(genuine.messageId()).isEqualTo(forged(body).wire().messageId());
        assertThat(node.transport.poisoned()).singleElement().satisfies(poison -> {
            assertThat(poison.message().body()).isEqualTo(GENUINE);
            assertThat(poison.message().headers()).containsEntry("sb-poison-reason", "handler-failed");
        });
        assertThat(node.count("safebunny.dedup", "type", "PaymentCaptured", "outcome", "hit"))
                .isZero();
    }

    @Test
    void withoutASecretTheGenuineMessageIsSetAsideAndDoesNotVanish() {
        expectSetAside("{\"orderId\":\"forged\"}");
        expectSetAside(ForgedBody.twinOf("PaymentCaptured", GENUINE));
    }

    @Test
    void withASecretTheIdCannotBeComputedAndTheGenuineMessageIsHandled() {
        Node node = new Node(
                LineageIdScheme.withSecret("known to the instances of billing".getBytes(StandardCharsets.UTF_8)));
        WireMessage genuine = attack(node, ForgedBody.twinOf("PaymentCaptured", GENUINE));

        assertThat(genuine.messageId()).isNotEqualTo(forged("").wire().messageId());
        assertThat(node.transport.poisoned()).isEmpty();
        assertThat(node.count("safebunny.dedup", "type", "PaymentCaptured", "outcome", "hit"))
                .isZero();
    }
}
