// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.RecordedDelivery;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A bean of scope {@code bunny} that fails when it is destroyed changes nothing for the message that is over. */
class FailingDestructionTest {

    @Test
    void ofABeanByAnErrorLetsAHandledMessageBe() {
        AtomicBoolean next = new AtomicBoolean();
        Node node = new Node(Node.SIX_ATTEMPTS);
        node.handler = (payload, context) -> {
            Object unused = node.scope.get("bean", Object::new);
            node.scope.registerDestructionCallback("bean", () -> {
                throw new NoClassDefFoundError("simulated");
            });
            node.scope.registerDestructionCallback("next", () -> next.set(true));
        };
        RecordedDelivery delivery = node.deliver();

        assertThat(node.runs).hasValue(1);
        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.attempted()).isEmpty();
        assertThat(next).as("the bean after it is destroyed").isTrue();
    }
}
