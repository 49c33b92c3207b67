// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import java.util.List;
import java.util.stream.StreamSupport;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** Contexts to run tests in. */
public final class Nodes {

    private Nodes() {}

    /** Of this module and of those on the class path, as their imports files list them. */
    static List<Class<?>> autoConfigurations() {
        ClassLoader loader = Nodes.class.getClassLoader();
        return StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, loader).spliterator(), false)
                .filter(name -> name.startsWith("io.safebunny."))
                .<Class<?>>map(name -> ClassUtils.resolveClassName(name, loader))
                .toList();
    }

    /** The auto-configuration of the clock and the threads. */
    public static Class<?> threads() {
        return ThreadsAutoConfiguration.class;
    }

    /** All auto-configurations of ours, and nothing else. */
    public static ApplicationContextRunner bare() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(autoConfigurations().toArray(Class<?>[]::new)));
    }

    /** The node {@code shop} on the memory transport. */
    public static ApplicationContextRunner memory() {
        return bare().withPropertyValues("safebunny.transport=memory", "safebunny.node=shop");
    }
}
