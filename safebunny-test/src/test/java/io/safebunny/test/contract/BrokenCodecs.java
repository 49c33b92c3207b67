// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.message.Envelope;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.serialization.CodecException;
import io.safebunny.test.contract.bites.Faults;
import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Faults against {@link BodyCodecContract}. */
final class BrokenCodecs extends Faults<BrokenCodecContract, BodyCodec> {

    BrokenCodecs() {
        fault("calls itself plain", "itsNameCanBeWrittenAndFound", codec -> codec.on(BodyCodec::encoding)
                .instead(real -> "identity"));
        fault("takes bytes for text", "decodesWhatItEncoded", BodyCodec::decode).instead((real, message, maxSize) -> {
            byte[] body = real.decode(message, maxSize);
            for (int i = 0; i < body.length; i++) {
                body[i] = body[i] == (byte) 0xFF ? (byte) '?' : body[i];
            }
            return body;
        });
        fault("works in place", "changesNoBytesOfItsInput", BodyCodec::decode).instead((real, message, maxSize) -> {
            byte[] body = real.decode(message, maxSize);
            message.body()[0] ^= 1;
            return body;
        });
        fault("knows no bounds", "decodesNoMoreThanItMay", BodyCodec::decode)
                .instead((real, message, maxSize) -> real.decode(message, Long.MAX_VALUE));
        fault("takes what is plain", "refusesWhatItDidNotEncode", BodyCodec::decode)
                .instead((real, message, maxSize) -> {
                    try {
                        return real.decode(message, maxSize);
                    } catch (CodecException e) {
                        if (e.isTooLarge()) {
                            throw e;
                        }
                        return message.body();
                    }
                });
        fault("gives two threads that encode at once each other's bytes", "isUsedByManyThreadsAtOnce", codec -> {
            Exchanger<Envelope> buffer = new Exchanger<>();
            codec.on(BodyCodec::encode).instead((real, message) -> {
                try {
                    return real.encode(buffer.exchange(message, 20, TimeUnit.MILLISECONDS));
                } catch (TimeoutException e) {
                    return real.encode(message);
                }
            });
        });
    }
}
