// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.failure.ConnectionLostException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.UnroutableException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.fixture.RecordingTransport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PublishAsyncTest {

    private static final PaymentCaptured PAYLOAD = new PaymentCaptured("o-1");

    private final Publisher publisher = new Publisher();

    @Test
    void completesWithTheIdWhenConfirmed() {
        CompletableFuture<Void> confirm = new CompletableFuture<>();
        publisher.transport.answerNext(message -> confirm);
        CompletableFuture<Published> published = publisher.bunny.publishAsync(PAYLOAD);
        assertThat(published).isNotDone();
        confirm.complete(null);

        assertThat(published).isCompletedWithValueMatching(sent -> sent.messageId()
                .equals(publisher.transport.attempted().get(0).message().messageId()));
    }

    @Test
    void completesWithTheExceptionThatPublishThrows() {
        publisher.transport.answerNext(RecordingTransport.UNROUTABLE);

        assertThat(publisher.bunny.publishAsync(PAYLOAD))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(UnroutableException.class);
    }

    @Test
    void doesNotThrowWhatIsWrongWithThePublication() {
        assertThat(publisher.bunny.publishAsync(PAYLOAD, PublishOptions.none().withHeader("CC", "x")))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(InvalidPublicationException.class);
    }

    @Test
    void sendsAgainAfterALostConnection() {
        publisher.transport.answerNext(RecordingTransport.LOSE_CONNECTION);
        CompletableFuture<Published> published = publisher.bunny.publishAsync(PAYLOAD);
        assertThat(published).isNotDone();
        publisher.timeline.advance(Duration.ofMillis(100));

        assertThat(published).isCompleted();
        assertThat(publisher.transport.attempted()).hasSize(2);
    }

    @Test
    void givesUpALostConnectionAtTheTimeout() {
        publisher.transport.answerAll(RecordingTransport.LOSE_CONNECTION);
        CompletableFuture<Published> published = publisher.bunny.publishAsync(PAYLOAD);
        publisher.timeline.advance(Publisher.TIMEOUT);

        assertThat(published)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(ConnectionLostException.class);
    }
}
