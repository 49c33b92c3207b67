// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import io.safebunny.test.contract.SerializerPayloads.Order;
import io.safebunny.test.contract.SerializerPayloads.Other;
import io.safebunny.test.contract.SerializerPayloads.Text;
import io.safebunny.test.contract.bites.Faults;
import java.io.ByteArrayInputStream;
import java.io.ObjectInputStream;
import java.lang.reflect.ParameterizedType;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Faults in reading against {@link MessageSerializerContract}. */
final class BrokenDeserializing extends Faults<BrokenSerializerContract, MessageSerializer> {

    private static final Pattern CLASS = Pattern.compile("\"@class\":\"([^\"]+)\"");

    BrokenDeserializing() {
        types();
        classes();
        bodies();
    }

    private void types() {
        fault("forgets type parameters", "readsTheElementsOfAGenericType", MessageSerializer::deserialize)
                .instead((real, body, target) ->
                        real.deserialize(body, target instanceof ParameterizedType type ? type.getRawType() : target));
        fault("wants to know each field", "skipsFieldsThatAReceiverDoesNotKnow", MessageSerializer::deserialize)
                .instead((real, body, target) -> {
                    if (target == Order.class && new String(body, UTF_8).contains("cents")) {
                        throw new SerializationException("an unknown field", null);
                    }
                    return real.deserialize(body, target);
                });
        fault(
                        "takes one type for another of the same fields",
                        "readsTheTypeItIsAskedFor",
                        MessageSerializer::deserialize)
                .instead((real, body, target) -> real.deserialize(body, target == Other.class ? Text.class : target));
    }

    private void classes() {
        fault("makes what a body names", "letsNoBodyChooseAClass", MessageSerializer::deserialize)
                .instead((real, body, target) -> {
                    Matcher named = CLASS.matcher(new String(body, UTF_8));
                    return target == Object.class && named.find()
                            ? Class.forName(named.group(1)).getConstructor().newInstance()
                            : real.deserialize(body, target);
                });
        fault("falls back to Java's serialization", "letsNoBodyChooseAClass", MessageSerializer::deserialize)
                .instead((real, body, target) -> {
                    if (body.length > 1 && body[0] == (byte) 0xac && body[1] == (byte) 0xed) {
                        Object unused = new ObjectInputStream(new ByteArrayInputStream(body)).readObject();
                    }
                    return real.deserialize(body, target);
                });
    }

    private void bodies() {
        fault("uses the body as its buffer", "givesAwayBytesAndChangesNone", MessageSerializer::deserialize)
                .instead((real, body, target) -> {
                    Object value = real.deserialize(body, target);
                    body[0] ^= 1;
                    return value;
                });
        fault("makes do with half of a body", "refusesABodyThatEndsEarly", MessageSerializer::deserialize)
                .instead((real, body, target) -> {
                    try {
                        return real.deserialize(body, target);
                    } catch (SerializationException e) {
                        if (target == Text.class && body.length > 400 && body.length < 2_000) {
                            return new Text("");
                        }
                        throw e;
                    }
                });
        fault("reads nothing as null", "readsAForeignBodyAsTheTypeOrRefusesIt", MessageSerializer::deserialize)
                .instead((real, body, target) ->
                        new String(body, UTF_8).equals("null") ? null : real.deserialize(body, target));
        fault("calls itself for each bracket", "readsAForeignBodyAsTheTypeOrRefusesIt", MessageSerializer::deserialize)
                .instead((real, body, target) -> {
                    if (body.length == PayloadRules.MEGABYTE && body[0] == '[') {
                        throw new StackOverflowError();
                    }
                    return real.deserialize(body, target);
                });
        fault(
                        "lets its parser's exceptions through",
                        "readsAForeignBodyAsTheTypeOrRefusesIt",
                        MessageSerializer::deserialize)
                .instead((real, body, target) -> {
                    if (body.length == 0) {
                        throw new ArrayIndexOutOfBoundsException(0);
                    }
                    return real.deserialize(body, target);
                });
        fault("quotes the body that it refuses", "tellsNothingOfThePayload", MessageSerializer::deserialize)
                .instead((real, body, target) -> {
                    try {
                        return real.deserialize(body, target);
                    } catch (SerializationException e) {
                        throw new SerializationException(new String(body, UTF_8), e);
                    }
                });
    }
}
