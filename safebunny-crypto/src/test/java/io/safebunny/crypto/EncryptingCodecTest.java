// SPDX-License-Identifier: Apache-2.0
package io.safebunny.crypto;

import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.encryption.Encrypted;
import io.safebunny.serialization.BodyCodec;
import io.safebunny.test.contract.BodyCodecContract;
import io.safebunny.test.encryption.MemoryKeys;
import java.util.Objects;
import java.util.Set;

class EncryptingCodecTest extends BodyCodecContract {

    private final EncryptingCodec codec =
            new EncryptingCodec(MemoryKeys.of("payments"), VirtualTimeline.skipping(), Set.of());

    @Encrypted(key = "payments")
    private record CardCharged(String pan) {}

    @Override
    protected BodyCodec codec() {
        return Objects.requireNonNull(codec.of(CardCharged.class));
    }
}
