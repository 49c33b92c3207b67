// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.Serializers;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

class SerializationTest {

    @Test
    void isJsonByTheApplicationsMapper() {
        JsonMapper mapper = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build();
        Nodes.memory().withBean(JsonMapper.class, () -> mapper).run(context -> {
            byte[] body = context.getBean(Serializers.class).writer().serialize(new OrderPlaced("1"));
            assertThat(new String(body, StandardCharsets.UTF_8)).isEqualTo("{\"order_id\":\"1\"}");
        });
    }

    @Test
    void sizesItsLimitsByTheLargestMessage() {
        byte[] body = ("[" + "0,".repeat(20_000) + "0]").getBytes(StandardCharsets.UTF_8);
        Nodes.memory().withPropertyValues("safebunny.max-message-size=50KB").run(context -> assertThatThrownBy(
                        () -> context.getBean(JsonMessageSerializer.class).deserialize(body, List.class))
                .hasMessageContaining("12800")
                .hasMessageContaining("safebunny.max-message-size"));
        Nodes.memory().run(context -> assertThat(
                        (List<?>) context.getBean(JsonMessageSerializer.class).deserialize(body, List.class))
                .hasSize(20_001));
    }

    @Test
    void needsNoMapperBean() {
        Nodes.memory()
                .run(context -> assertThat(context.getBean(Serializers.class).writer())
                        .isInstanceOf(JsonMessageSerializer.class));
    }

    @Test
    void applicationsOwnSerializerWritesAndJsonStillReads() {
        Nodes.memory().withBean(Text.class).run(context -> {
            Serializers serializers = context.getBean(Serializers.class);
            assertThat(serializers.writer()).isInstanceOf(Text.class);
            assertThat(serializers.readerOf("application/json")).isInstanceOf(JsonMessageSerializer.class);
        });
    }

    static final class Text implements MessageSerializer {
        @Override
        public String contentType() {
            return "text/plain";
        }

        @Override
        public boolean reads(String contentType) {
            return contentType.startsWith("text/plain");
        }

        @Override
        public byte[] serialize(Object payload) {
            return payload.toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Object deserialize(byte[] body, Type target) {
            return new String(body, StandardCharsets.UTF_8);
        }
    }
}
