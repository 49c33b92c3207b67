// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.failure.PublishException.Publication;
import io.safebunny.failure.UnroutableException;
import org.junit.jupiter.api.Test;

class MisspeltFromTest {

    record Unheard(String orderId) {}

    static class Misspelt {
        @BunnyHandler(from = "shpo")
        void on(OrderPlaced payload) {}
    }

    @Test
    void isNamedByAPublicationThatNobodyTakes() {
        Nodes.memory().withBean(Misspelt.class).run(context -> assertThatThrownBy(
                        () -> context.getBean(Bunny.class).publish(new OrderPlaced("1")))
                .isInstanceOf(UnroutableException.class)
                .hasMessageStartingWith("SB-2001")
                .hasMessageContaining("This node itself takes OrderPlaced, but from [shpo] and not from shop"));
    }

    @Test
    void whatTheNodeTakesIsNamedForATypeItDoesNotTake() {
        Nodes.memory().withBean(Misspelt.class).run(context -> assertThatThrownBy(
                        () -> context.getBean(Bunny.class).publish(new Unheard("1")))
                .isInstanceOf(UnroutableException.class)
                .hasMessageEndingWith("This node itself takes OrderPlaced from [shpo]."));
    }

    @Test
    void typesOfSagasOwnMessagesAreNotNamed() {
        Nodes.memory()
                .withBean(SagaTest.Order.class)
                .withPropertyValues("safebunny.store.type=memory")
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Bunny.class).publish(new Unheard("1")))
                        .hasMessageContaining("This node itself takes ")
                        .hasMessageNotContaining("BunnyTimeout"));
    }

    @Test
    void anAcknowledgementThatNoSagaTakesIsToldWhereToNameItsSender() {
        assertThatThrownBy(() -> {
                    throw new UnroutableException(
                            new Publication("BunnyUndone", "mailer.BunnyUndone", "1"), "NO_ROUTE");
                })
                .hasMessageContaining("`participants` of the @BunnySaga")
                .hasMessageNotContaining("Start the node");
    }

    @Test
    void nothingIsSaidByANodeThatTakesNothing() {
        Nodes.memory().run(context -> assertThatThrownBy(
                        () -> context.getBean(Bunny.class).publish(new Unheard("1")))
                .hasMessageEndingWith("check `from` in its @BunnyHandler."));
    }
}
