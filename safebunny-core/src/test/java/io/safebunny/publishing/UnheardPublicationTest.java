// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.PublishOptions;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.NackedException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class UnheardPublicationTest {

    private static final PaymentCaptured PAYLOAD = new PaymentCaptured("o-1");
    private static final PublishOptions DROPPED = PublishOptions.none().droppedIfUnheard();

    private final Publisher publisher = new Publisher();

    @Test
    void isRefusedUnlessAskedOtherwise() {
        publisher.transport.answerNext(RecordingTransport.UNROUTABLE);

        assertThatExceptionOfType(UnroutableException.class).isThrownBy(() -> publisher.bunny.publish(PAYLOAD));
    }

    @Test
    void isDroppedWhenAskedTo() {
        publisher.transport.answerAll(RecordingTransport.UNROUTABLE);

        assertThat(publisher.bunny.publish(PAYLOAD, DROPPED).messageId()).hasSize(36);
        assertThat(publisher.bunny.publishNow(PAYLOAD, DROPPED).messageId()).hasSize(36);
        assertThat(publisher.bunny.publishAsync(PAYLOAD, DROPPED)).isCompleted();
        assertThat(publisher.transport.attempted()).hasSize(3);
    }

    @Test
    void isSentLikeAnyOtherWhenSomebodyListens() {
        publisher.bunny.publish(PAYLOAD, DROPPED);

        assertThat(publisher.transport.confirmed()).hasSize(1);
    }

    @Test
    void isNotDroppedForAnotherReason() {
        publisher.transport.answerNext(RecordingTransport.NACK);

        assertThatExceptionOfType(NackedException.class).isThrownBy(() -> publisher.bunny.publish(PAYLOAD, DROPPED));
    }

    @Test
    void keepsTheChoiceWhileItIsCollected() throws Exception {
        assertThat(publisher.handling(() -> {
                    publisher.bunny.publish(PAYLOAD, DROPPED);
                    publisher.bunny.publish(PAYLOAD);
                }))
                .extracting(message -> message.droppedIfUnheard())
                .containsExactly(true, false);
    }

    @Test
    void cannotBeDroppedAfterADelay() {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publisher.bunny.publish(PAYLOAD, DROPPED.withDelay(Duration.ofMinutes(1))))
                .withMessageContaining("[type=PaymentCaptured, delay=PT1M]");
        assertThat(publisher.transport.attempted()).isEmpty();
    }
}
