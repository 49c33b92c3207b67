// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.failure.ConfigurationException;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The words are those of RabbitMQ 3.10 to 4.3. */
class ClashTest {

    private static ConfigurationException explained(String words) {
        return Objects.requireNonNull(Clash.of("PRECONDITION_FAILED - " + words))
                .toException(new IllegalStateException(words));
    }

    @Test
    void namesBothQueueTypesAndTheirProperty() {
        ConfigurationException e = explained(
                "inequivalent arg 'x-queue-type' for queue 'shop-Order' in vhost '/': received 'classic' but current is 'quorum'");

        assertThat(e.problem())
                .isEqualTo(
                        "The queue 'shop-Order' exists on the broker as a quorum queue (x-queue-type=quorum), and this node asks for a classic queue (safebunny.topology.queue-type). Nothing was changed.");
        assertThat(e.action())
                .startsWith("Set safebunny.topology.queue-type=quorum, or stop its publishers")
                .contains("rabbitmqctl delete_queue shop-Order");
    }

    /** Of all that differs 3.10 tells this. */
    @Test
    void tellsTheQueueTypeFromAnArgumentThatOnlyOneTypeHas() {
        ConfigurationException e = explained(
                "inequivalent arg 'x-overflow' for queue 'shop-Order' in vhost '/': received the value 'reject-publish' of type 'longstr' but current is none");

        assertThat(e.problem())
                .contains("as a classic queue (no x-overflow)", "a quorum queue (safebunny.topology.queue-type)");
        assertThat(e.action()).startsWith("Set safebunny.topology.queue-type=classic, or ");
    }

    @Test
    void namesThePoisonTtl() {
        ConfigurationException e = explained(
                "inequivalent arg 'x-message-ttl' for queue 'shop-poison' in vhost '/': received the value '60000' of type 'long' but current is none");

        assertThat(e.problem()).contains("with no x-message-ttl", "asks for x-message-ttl=60000");
        assertThat(e.action()).startsWith("Remove safebunny.poison.ttl, or ");
        assertThat(explained(
                                "inequivalent arg 'x-message-ttl' for queue 'shop-poison' in vhost '/': received none but current is the value '60000' of type 'signedint'")
                        .action())
                .startsWith("Set safebunny.poison.ttl=60000ms, or ");
    }

    @Test
    void namesTheLengthOfThePoisonQueue() {
        ConfigurationException e = explained(
                "inequivalent arg 'x-max-length' for queue 'shop-poison' in vhost '/': received the value '1000' of type 'long' but current is none");

        assertThat(e.problem()).contains("x-max-length=1000 (safebunny.poison.max-length)");
        assertThat(e.action()).startsWith("Remove safebunny.poison.max-length, or ");
        assertThat(explained(
                                "inequivalent arg 'x-max-length' for queue 'shop-poison' in vhost '/': received none but current is the value '5' of type 'signedint'")
                        .action())
                .startsWith("Set safebunny.poison.max-length=5, or ");
        assertThat(explained(
                                "inequivalent arg 'x-overflow' for queue 'shop-poison' in vhost '/': received none but current is the value 'reject-publish' of type 'longstr'")
                        .action())
                .startsWith("Set safebunny.poison.max-length to the x-max-length of the existing queue, or ");
    }

    @Test
    void namesTheTimeToLiveOfTheArchive() {
        ConfigurationException e = explained(
                "inequivalent arg 'x-message-ttl' for queue 'shop-poison-archive' in vhost '/': received the value '2592000000' of type 'long' but current is the value '86400000' of type 'long'");

        assertThat(e.problem()).contains("x-message-ttl=2592000000 (safebunny.poison.archive-ttl)");
        assertThat(e.action()).startsWith("Set safebunny.poison.archive-ttl=86400000ms, or ");
        assertThat(explained(
                                "inequivalent arg 'x-message-ttl' for queue 'shop-poison-archive' in vhost '/': received the value '2592000000' of type 'long' but current is none")
                        .action())
                .startsWith("Stop its publishers");
    }

    @Test
    void namesTheDeliveryLimit() {
        assertThat(explained(
                                "inequivalent arg 'x-delivery-limit' for queue 'shop-Order' in vhost 'it's': received the value '20' of type 'signedint' but current is the value '30' of type 'signedint'")
                        .action())
                .startsWith("Set safebunny.topology.delivery-limit=30, or ");
    }

    @Test
    void namesTheStrategyOfDelays() {
        assertThat(explained(
                                "inequivalent arg 'type' for exchange 'safebunny.delayed' in vhost '/': received 'headers' but current is ''x-delayed-message''")
                        .getMessage())
                .contains("safebunny.delay.strategy");
    }

    @Test
    void asksForThePrefixThatExists() {
        ConfigurationException e = explained(
                "inequivalent arg 'x-dead-letter-exchange' for queue 'shop-Order' in vhost '/': received the value 'safebunny.poison' of type 'longstr' but current is the value 'rabbit.poison' of type 'longstr'");

        assertThat(e.action()).startsWith("Set safebunny.topology.prefix=rabbit, or ");
    }

    /** Of earlier snapshots, which dead-lettered to nowhere. */
    @ParameterizedTest
    @ValueSource(strings = {"x-dead-letter-exchange", "x-dead-letter-strategy", "x-overflow"})
    void blamesNoPropertyForDeadLettersThatWereDeclaredWithFewerArguments(String argument) {
        ConfigurationException e = explained(
                "inequivalent arg '%s' for queue 'shop-dead-letters' in vhost '/': received the value 'any' of type 'longstr' but current is none"
                        .formatted(argument));

        assertThat(e.getMessage()).doesNotContain("safebunny.topology", "classic");
        assertThat(e.action()).startsWith("Stop its publishers").contains("delete it");
    }

    @Test
    void blamesNoPropertyForWhatAllNodesShare() {
        ConfigurationException e = explained(
                "inequivalent arg 'x-queue-type' for queue 'safebunny.unrouted' in vhost '/': received 'quorum' but current is 'classic'");

        assertThat(e.getMessage()).contains("as a classic queue").doesNotContain("safebunny.topology");
        assertThat(e.action()).startsWith("Stop its publishers, move its messages elsewhere");
    }

    @Test
    void leavesOtherWordsAsTheyAre() {
        assertThat(Clash.of("PRECONDITION_FAILED - invalid arg 'x-queue-type' for queue 'q'"))
                .isNull();
    }
}
