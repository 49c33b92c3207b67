// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * Limits exponents: the eight bytes {@code 1e99999,} become 40 KB as a {@code BigInteger}, and {@code 1e1000000000} is a harmless
 * {@code BigDecimal} only until something is added to it. Other number types have a fixed size.
 */
final class SmallExponents extends ValueDeserializerModifier {

    private static final long serialVersionUID = 1;

    @Override
    public ValueDeserializer<?> modifyDeserializer(
            DeserializationConfig config, BeanDescription.Supplier type, ValueDeserializer<?> own) {
        Class<?> read = type.getBeanClass();
        return read == BigDecimal.class || read == BigInteger.class ? new Bounded(own) : own;
    }

    private static final class Bounded extends DelegatingDeserializer {

        private static final int DECIMAL = 1_000;
        private static final int INTEGER = 64;

        Bounded(ValueDeserializer<?> own) {
            super(own);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> own) {
            return new Bounded(own);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            if (handledType() == BigInteger.class && parser.currentToken() == JsonToken.VALUE_NUMBER_FLOAT) {
                require(parser.getDecimalValue(), INTEGER);
            }
            Object value = super.deserialize(parser, context);
            if (value instanceof BigDecimal decimal) {
                require(decimal, DECIMAL);
            }
            return value;
        }

        private static void require(BigDecimal number, int largest) {
            if (Math.abs((long) number.scale()) > largest) {
                throw new StreamConstraintsException(
                        "Exponent or scale of a number exceeds the maximum allowed (%s)".formatted(largest));
            }
        }
    }
}
