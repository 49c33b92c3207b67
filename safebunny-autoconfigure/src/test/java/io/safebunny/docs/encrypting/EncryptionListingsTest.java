// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.encrypting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.encryption.DataKey;
import io.safebunny.encryption.KeyProvider;
import io.safebunny.encryption.WrappedKey;
import io.safebunny.saga.Sagas;
import io.safebunny.test.encryption.MemoryKeys;
import io.safebunny.vault.VaultKeys;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The listings of {@code docs/encryption.md}, compiled and run. */
class EncryptionListingsTest {

    static final BlockingQueue<Object> HANDLED = new LinkedBlockingQueue<>();

    interface KeyService {
        DataKey newDataKey(String key);

        SecretKey unwrap(String keyId, byte[] wrapped);

        SecretKey secret(String name);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @BunnyHandler(from = "billing")
        void on(CardCharged charged) {
            HANDLED.add(charged);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FromAService {

        @Bean
        KeyService service() {
            MemoryKeys keys = MemoryKeys.of("payments");
            return new KeyService() {
                @Override
                public DataKey newDataKey(String key) {
                    return keys.current(key);
                }

                @Override
                public SecretKey unwrap(String keyId, byte[] wrapped) {
                    return keys.open(new WrappedKey(keyId, wrapped));
                }

                @Override
                public SecretKey secret(String name) {
                    return new SecretKeySpec(name.getBytes(StandardCharsets.UTF_8), "HmacSHA256");
                }
            };
        }

        @Bean
        KeyProvider serviceKeys(KeyService service) {
            return new KeyProvider() {
                @Override
                public DataKey current(String key) {
                    return service.newDataKey(key);
                }

                @Override
                public SecretKey open(WrappedKey wrapped) {
                    return service.unwrap(wrapped.keyId(), wrapped.bytes());
                }

                @Override
                public SecretKey hashKey(String key) {
                    return service.secret(key + "-hashes");
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Till {

        @Bean
        CardSaga cardSaga() {
            return new CardSaga();
        }
    }

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withUserConfiguration(Application.class)
            .withPropertyValues("safebunny.node=billing", "safebunny.transport=memory", "safebunny.store.type=memory");

    private static void publishesToItself(ApplicationContextRunner runner) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Bunny.class).publish(new CardCharged("o-1", "4111"));
            assertThat(HANDLED.poll(30, TimeUnit.SECONDS)).isEqualTo(new CardCharged("o-1", "4111"));
        });
    }

    @Test
    void takesKeysFromTheApplication() {
        publishesToItself(application.withUserConfiguration(FromAService.class));
    }

    @Test
    void hidesTheStateOfTheSaga() {
        new ApplicationContextRunner()
                .withUserConfiguration(Till.class, FromAService.class)
                .withPropertyValues("safebunny.node=till", "safebunny.transport=memory", "safebunny.store.type=memory")
                .run(context -> {
                    String saga = context.getBean(Bunny.class)
                            .publish(new CardCharged("o-1", "4111"))
                            .correlationId();
                    Sagas sagas = context.getBean(Sagas.class);
                    await().until(() -> !sagas.find(saga).isEmpty());
                    assertThat(sagas.find(saga)).singleElement().satisfies(view -> {
                        assertThat(view.encrypted()).isTrue();
                        assertThat(view.toString()).doesNotContain("4111");
                    });
                });
    }

    @Test
    void takesKeysFromVault() {
        application
                .withUserConfiguration(VaultClient.class)
                .withPropertyValues("vault.role-id=billing", "vault.secret-id=s3cret")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(KeyProvider.class)).isInstanceOf(VaultKeys.class);
                });
    }

    @Test
    void takesKeysFromAKeystore(@TempDir Path folder) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setEntry(
                "payments-1",
                new KeyStore.SecretKeyEntry(new SecretKeySpec(new byte[32], "AES")),
                new KeyStore.PasswordProtection("changeit".toCharArray()));
        Path file = folder.resolve("keys.p12");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, "changeit".toCharArray());
        }

        publishesToItself(application.withPropertyValues(
                "safebunny.encryption.keystore.location=" + file, "safebunny.encryption.keystore.password=changeit"));
    }

    @Test
    void doesNotStartWithoutKeys() {
        application.run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContainingAll("SB-1314", "CardCharged", "safebunny.encryption.keystore.location"));
    }

    @Test
    void doesNotStartWithoutItsKeystore() {
        application
                .withPropertyValues("safebunny.encryption.keystore.location=nowhere.p12")
                .run(context -> assertThat(context).getFailure().rootCause().isNotNull());
    }
}
