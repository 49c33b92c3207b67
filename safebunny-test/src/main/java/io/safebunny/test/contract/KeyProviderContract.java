// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.UnknownKeyException;
import io.safebunny.encryption.WrappedKey;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The contract of every {@link KeyProvider}. Extend it and create yours, with keys of the names {@code payments} and {@code names}. */
public abstract class KeyProviderContract {

    private static final String KEY = "payments";
    private static final String OTHER = "names";
    private static final String NOBODYS = "nobodys";

    /** One that has these keys, and none of the name {@code nobodys}. Called for each instance that a test has. */
    protected abstract KeyProvider keys() throws Exception;

    /** Adds a version to a key, which all instances use from then on. */
    protected abstract void rotate(String key) throws Exception;

    @Test
    public void opensWhatAnotherInstanceWrapped() throws Exception {
        DataKey made = keys().current(KEY);

        assertThat(made.key().getEncoded()).hasSize(32);
        assertThat(made.wrapped().keyId()).matches("[A-Za-z0-9._:/-]{1,128}");
        assertThat(made.wrapped().bytes()).hasSizeBetween(1, 1_024);
        assertThat(keys().open(made.wrapped()).getEncoded())
                .isEqualTo(made.key().getEncoded());
    }

    @Test
    public void everyDataKeyIsNew() throws Exception {
        KeyProvider keys = keys();
        Set<String> made = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            made.add(HexFormat.of().formatHex(keys.current(KEY).key().getEncoded()));
        }
        assertThat(made).hasSize(10);
    }

    @Test
    public void afterARotationTheNewVersionWrapsAndTheOldOneStillOpens() throws Exception {
        DataKey before = keys().current(KEY);
        rotate(KEY);
        DataKey after = keys().current(KEY);

        assertThat(after.wrapped().keyId()).isNotEqualTo(before.wrapped().keyId());
        assertThat(keys().open(before.wrapped())).isEqualTo(before.key());
        assertThat(keys().open(after.wrapped())).isEqualTo(after.key());
    }

    @Test
    public void aKeyThatIsNotThereIsUnknown() throws Exception {
        KeyProvider keys = keys();
        byte[] wrapped = keys.current(KEY).wrapped().bytes();

        assertThatExceptionOfType(UnknownKeyException.class).isThrownBy(() -> keys.current(NOBODYS));
        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> keys.open(new WrappedKey(NOBODYS + "-1", wrapped)));
        assertThatExceptionOfType(UnknownKeyException.class)
                .isThrownBy(() -> keys.open(new WrappedKey("../" + NOBODYS + ":v1", wrapped)));
    }

    @Test
    public void whatTheKeyDidNotWrapIsRefusedWithoutQuotingIt() throws Exception {
        KeyProvider keys = keys();
        String id = keys.current(KEY).wrapped().keyId();
        byte[] others = keys.current(OTHER).wrapped().bytes();
        byte[] changed = keys.current(KEY).wrapped().bytes().clone();
        changed[changed.length - 1] ^= 1;

        for (byte[] wrapped : new byte[][] {others, changed, Arrays.copyOf(changed, 5), new byte[0]}) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> keys.open(new WrappedKey(id, wrapped)))
                    .withMessageNotContaining(HexFormat.of().formatHex(changed));
        }
    }

    /** It may have none. */
    @Test
    public void theSecretOfHashesIsTheSameEverywhereAndThroughRotations() throws Exception {
        SecretKey secret = keys().hashKey(KEY);
        rotate(KEY);

        assertSame(keys().hashKey(KEY), secret);
        assertThat(keys().hashKey(NOBODYS)).isNull();
        if (secret != null) {
            assertThat(secret.getEncoded()).hasSizeGreaterThanOrEqualTo(16);
            assertThat(keys().hashKey(OTHER)).isNotNull().isNotEqualTo(secret);
        }
    }

    private static void assertSame(@Nullable SecretKey one, @Nullable SecretKey other) {
        assertThat(one == null ? null : one.getEncoded()).isEqualTo(other == null ? null : other.getEncoded());
    }
}
