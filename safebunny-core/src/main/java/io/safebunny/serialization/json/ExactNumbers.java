// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.function.Function;
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
import tools.jackson.databind.util.ClassUtil;

/**
 * Reads a number exactly or refuses it: for a whole number, {@code 1.0} is read and {@code 1.75} is refused; for a {@code double}, {@code
 * 1e400} is refused. Also limits exponents: the eight bytes {@code 1e99999,} become 40 KB as a {@code BigInteger}, and {@code 1e1000000000}
 * is a harmless {@code BigDecimal} only until something is added to it.
 */
final class ExactNumbers extends ValueDeserializerModifier {

    private static final long serialVersionUID = 1;

    private static final int LARGEST_INTEGER = 64;

    private static final Map<Class<?>, Function<BigDecimal, Number>> WHOLE = Map.of(
            Long.class, BigDecimal::longValueExact,
            long.class, BigDecimal::longValueExact,
            Integer.class, BigDecimal::intValueExact,
            int.class, BigDecimal::intValueExact,
            Short.class, BigDecimal::shortValueExact,
            short.class, BigDecimal::shortValueExact,
            Byte.class, BigDecimal::byteValueExact,
            byte.class, BigDecimal::byteValueExact,
            BigInteger.class, BigDecimal::toBigIntegerExact);

    @Override
    public ValueDeserializer<?> modifyDeserializer(
            DeserializationConfig config, BeanDescription.Supplier type, ValueDeserializer<?> own) {
        if (!ClassUtil.isJacksonStdImpl(own)) {
            return own; // the application's own deserializer
        }
        Class<?> read = type.getBeanClass();
        Function<BigDecimal, Number> whole = WHOLE.get(read);
        if (whole != null) {
            return new Whole(own, whole);
        }
        boolean isBroken = read == BigDecimal.class
                || read == Double.class
                || read == double.class
                || read == Float.class
                || read == float.class;
        return isBroken ? new Broken(own) : own;
    }

    /** Reads a whole number that is written with a point or an exponent, which Jackson is configured to refuse. */
    private static final class Whole extends DelegatingDeserializer {

        private final transient Function<BigDecimal, Number> exact;

        Whole(ValueDeserializer<?> own, Function<BigDecimal, Number> exact) {
            super(own);
            this.exact = exact;
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> own) {
            return new Whole(own, exact);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            if (parser.currentToken() == JsonToken.VALUE_NUMBER_FLOAT) {
                BigDecimal number = parser.getDecimalValue();
                requireScale(number, LARGEST_INTEGER);
                try {
                    return exact.apply(number);
                } catch (ArithmeticException e) {
                    return super.deserialize(parser, context);
                }
            }
            return super.deserialize(parser, context);
        }
    }

    private static final class Broken extends DelegatingDeserializer {

        Broken(ValueDeserializer<?> own) {
            super(own);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> own) {
            return new Broken(own);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            boolean isNumber = parser.currentToken().isNumeric();
            Object value = super.deserialize(parser, context);
            if (value instanceof BigDecimal decimal) {
                requireScale(decimal, JsonBytes.LARGEST_EXPONENT);
            } else if (isNumber && value instanceof Number number && Double.isInfinite(number.doubleValue())) {
                throw new StreamConstraintsException(
                        "A number exceeds the range of its type (%s): use a larger type, or correct the sender"
                                .formatted(handledType().getSimpleName()));
            }
            return value;
        }
    }

    private static void requireScale(BigDecimal number, int largest) {
        if (Math.abs((long) number.scale()) > largest) {
            throw new StreamConstraintsException(
                    "Exponent or scale of a number exceeds the maximum allowed (%s)".formatted(largest));
        }
    }
}
