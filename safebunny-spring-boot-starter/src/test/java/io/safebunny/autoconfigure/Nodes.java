// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import java.util.stream.StreamSupport;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** Contexts to run tests in. */
final class Nodes {

    private Nodes() {}

    /** All auto-configurations of this module as its imports file lists them, and nothing else. */
    static ApplicationContextRunner bare() {
        ClassLoader loader = Nodes.class.getClassLoader();
        Class<?>[] ours = StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, loader).spliterator(), false)
                .filter(name -> name.startsWith("io.safebunny."))
                .map(name -> ClassUtils.resolveClassName(name, loader))
                .toArray(Class<?>[]::new);
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ours));
    }

    /** The node {@code shop} on the memory transport. */
    static ApplicationContextRunner memory() {
        return bare().withPropertyValues("safebunny.transport=memory", "safebunny.node=shop");
    }
}
