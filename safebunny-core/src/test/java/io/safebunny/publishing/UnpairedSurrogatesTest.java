// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.serialization.SerializationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Halves of characters: UTF-8 has no bytes for them, so that encoders write a question mark for each, and two texts become one. */
class UnpairedSurrogatesTest {

    private final Publisher publisher = new Publisher();

    @AfterEach
    void nothingIsSent() {
        assertThat(publisher.transport.attempted()).isEmpty();
    }

    private void publish(PublishOptions options) {
        Published unused = publisher.bunny.publish(new PaymentCaptured("o-1"), options);
    }

    /** Both would have the id of the key {@code order-?}. */
    @ParameterizedTest
    @ValueSource(strings = {"order-\ud800", "order-\udfff", "\udc00\ud800", "order-\ud83d!"})
    void noTwoIdempotencyKeysBecomeOneId(String key) {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publish(PublishOptions.none().withIdempotencyKey(key)))
                .withMessageContaining("SB-2005 Invalid idempotency key")
                .withMessageContaining("unpaired surrogate");
    }

    @Test
    void headersHaveWholeCharacters() {
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publish(PublishOptions.none().withHeader("tenant", "a\ud800")))
                .withMessageContaining("tenant")
                .withMessageContaining("unpaired surrogate");
        assertThatExceptionOfType(InvalidPublicationException.class)
                .isThrownBy(() -> publish(PublishOptions.none().withHeader("tenant\udc00", "a")))
                .withMessageContaining("unpaired surrogate");
    }

    @ParameterizedTest
    @ValueSource(strings = {"o-\ud800", "\udc00", "\ud83d\ud83d"})
    void payloadsHaveWholeCharacters(String order) {
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> publisher.bunny.publish(new PaymentCaptured(order)))
                .withMessageContaining("SB-3004")
                .withMessageContaining("unpaired surrogate");
    }

    @Test
    void wholeCharactersOfAnyKindAreFine() {
        assertThatCode(() -> {
                    Publisher other = new Publisher();
                    Published unused = other.bunny.publish(
                            new PaymentCaptured("🐇\u0000\uffff"),
                            PublishOptions.none()
                                    .withIdempotencyKey("🐇\u0000")
                                    .withHeader("tenant🐇", "🐇\u0000\uffff"));
                })
                .doesNotThrowAnyException();
    }
}
