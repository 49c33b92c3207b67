// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.test.contract.bites.Faults;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** Faults against {@link KeyProviderContract}. */
final class BrokenKeyProviders extends Faults<BrokenKeyProviderContract, KeyProvider> {

    private static final SecureRandom RANDOM = new SecureRandom();

    BrokenKeyProviders() {
        fault("makes keys of 128 bits", "opensWhatAnotherInstanceWrapped", keys -> {
            keys.on(KeyProvider::current).instead((real, key) -> {
                DataKey made = real.current(key);
                return new DataKey(half(made.key()), made.wrapped());
            });
            keys.on(KeyProvider::open).instead((real, wrapped) -> half(real.open(wrapped)));
        });
        Map<String, DataKey> known = new ConcurrentHashMap<>();
        fault("gives the same data key again", "everyDataKeyIsNew", KeyProvider::current)
                .instead((real, key) -> {
                    DataKey made = real.current(key);
                    return known.computeIfAbsent(
                            key + System.identityHashCode(real) + made.wrapped().keyId(), id -> made);
                });
        fault(
                        "forgets versions before the newest",
                        "afterARotationTheNewVersionWrapsAndTheOldOneStillOpens",
                        KeyProvider::open)
                .instead((real, wrapped) -> {
                    String name = wrapped.keyId().substring(0, wrapped.keyId().length() - 2);
                    if (!real.current(name).wrapped().keyId().equals(wrapped.keyId())) {
                        throw new UnknownKeyException("only the newest version is known");
                    }
                    return real.open(wrapped);
                });
        fault("takes another key for one that is not there", "aKeyThatIsNotThereIsUnknown", KeyProvider::current)
                .instead((real, key) -> real.current(key.equals("nobodys") ? "names" : key));
        fault("opens anything", "whatTheKeyDidNotWrapIsRefusedWithoutQuotingIt", KeyProvider::open)
                .instead((real, wrapped) -> {
                    try {
                        return real.open(wrapped);
                    } catch (IllegalArgumentException e) {
                        return random();
                    }
                });
        fault(
                        "hashes under the newest version",
                        "theSecretOfHashesIsTheSameEverywhereAndThroughRotations",
                        KeyProvider::hashKey)
                .instead((real, key) -> real.hashKey(key) == null
                        ? null
                        : new SecretKeySpec(
                                Arrays.copyOf(
                                        real.current(key).wrapped().keyId().getBytes(StandardCharsets.US_ASCII), 32),
                                "HmacSHA256"));
    }

    private static SecretKey half(SecretKey key) {
        return new SecretKeySpec(Arrays.copyOf(key.getEncoded(), 16), "AES");
    }

    private static SecretKey random() {
        byte[] bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return new SecretKeySpec(bytes, "AES");
    }
}
