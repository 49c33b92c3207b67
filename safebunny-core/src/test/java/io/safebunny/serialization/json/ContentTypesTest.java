// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.failure.MisuseException;
import io.safebunny.serialization.MessageSerializer;
import java.lang.reflect.Type;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentTypesTest {

    private final JsonMessageSerializer json = new JsonMessageSerializer();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "Application/JSON",
                "application/json;charset=utf-8",
                "application/json ; charset=UTF-8",
                " application/json",
                "text/json",
                "application/vnd.acme.order+json",
                "application/problem+JSON; v=1"
            })
    void readsJsonUnderItsNames(String contentType) {
        assertThat(json.reads(contentType)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "text/plain",
                "application/xml",
                "application/jsonx",
                "application/x-java-serialized-object",
                "image/svg+json",
                "application/xml;a=application/json"
            })
    void readsNothingElse(String contentType) {
        assertThat(json.reads(contentType)).isFalse();
    }

    @Test
    void writesWithTheFirstAndReadsWithTheFirstThatAccepts() {
        MessageSerializer text = new TextSerializer();
        Serializers both = new Serializers(List.of(text, json));

        assertThat(both.writer()).isSameAs(text);
        assertThat(both.readerOf("application/json")).isSameAs(json);
        assertThat(both.readerOf("text/plain")).isSameAs(text);
        assertThat(both.readerOf("application/xml")).isNull();
    }

    @Test
    void needsOne() {
        assertThatExceptionOfType(MisuseException.class).isThrownBy(() -> new Serializers(List.of()));
    }

    private static final class TextSerializer implements MessageSerializer {
        @Override
        public String contentType() {
            return "text/plain";
        }

        @Override
        public boolean reads(String contentType) {
            return contentType.equals("text/plain");
        }

        @Override
        public byte[] serialize(Object payload) {
            return new byte[0];
        }

        @Override
        public Object deserialize(byte[] body, Type target) {
            return "";
        }
    }
}
