// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.message.Envelope;
import io.safebunny.spi.codec.CodecException;
import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One fault each against {@link BodyCodecContract}. */
final class BrokenCodecs {

    private BrokenCodecs() {}

    @Breaks("itsNameCanBeWrittenAndFound")
    static class CallsItselfPlain extends BrokenCodecContract {
        @Override
        public String encoding() {
            return "identity";
        }
    }

    @Breaks("decodesWhatItEncoded")
    static class TakesBytesForText extends BrokenCodecContract {
        @Override
        public byte[] decode(Envelope message, long maxSize) {
            byte[] body = super.decode(message, maxSize);
            for (int i = 0; i < body.length; i++) {
                body[i] = body[i] == (byte) 0xFF ? (byte) '?' : body[i];
            }
            return body;
        }
    }

    @Breaks("changesNoBytesOfItsInput")
    static class WorksInPlace extends BrokenCodecContract {
        @Override
        public byte[] decode(Envelope message, long maxSize) {
            byte[] body = super.decode(message, maxSize);
            message.body()[0] ^= 1;
            return body;
        }
    }

    @Breaks("decodesNoMoreThanItMay")
    static class KnowsNoBounds extends BrokenCodecContract {
        @Override
        public byte[] decode(Envelope message, long maxSize) {
            return super.decode(message, Long.MAX_VALUE);
        }
    }

    @Breaks("refusesWhatItDidNotEncode")
    static class TakesWhatIsPlain extends BrokenCodecContract {
        @Override
        public byte[] decode(Envelope message, long maxSize) {
            try {
                return super.decode(message, maxSize);
            } catch (CodecException e) {
                if (e.isTooLarge()) {
                    throw e;
                }
                return message.body();
            }
        }
    }

    /** Two threads that encode at the same time get each other's bytes. */
    @Breaks("isUsedByManyThreadsAtOnce")
    static class SharesItsBuffer extends BrokenCodecContract {
        private final Exchanger<Envelope> buffer = new Exchanger<>();

        @Override
        public byte[] encode(Envelope message) {
            try {
                return super.encode(buffer.exchange(message, 20, TimeUnit.MILLISECONDS));
            } catch (TimeoutException e) {
                return super.encode(message);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
