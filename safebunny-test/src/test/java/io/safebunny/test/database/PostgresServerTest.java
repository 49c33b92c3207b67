// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PostgresServerTest {

    /** An application that has not added the optional library. */
    private static final class WithoutXz extends ClassLoader {

        WithoutXz() {
            super(PostgresServer.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("org.tukaani.")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith(PostgresServer.class.getPackageName() + ".")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream code = getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (code == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = code.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        @Override
        public @Nullable URL getResource(String name) {
            return name.startsWith("org/tukaani/") ? null : super.getResource(name);
        }
    }

    @Test
    void saysWhichArtifactsAreMissing() throws Exception {
        Class<?> server = Class.forName(PostgresServer.class.getName(), true, new WithoutXz());

        assertThatThrownBy(() -> server.getMethod("start").invoke(null))
                .cause()
                .hasMessageContaining("org/tukaani/xz/XZInputStream.class is not on the class path")
                .hasMessageContaining("org.tukaani:xz");
    }
}
