// SPDX-License-Identifier: Apache-2.0
package io.safebunny.handler.scanning;

import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.objenesis.SpringObjenesis;

/**
 * Shows how Spring will proxy a bean that has no instance yet, because its scope is not singleton: an object of its class,
 * created without its constructor, is passed to the post-processors that create proxies, and to no others. It is never called.
 */
final class ProxySpecimen {

    private static final SpringObjenesis OBJENESIS = new SpringObjenesis();

    private ProxySpecimen() {}

    /**
     * The proxied object; {@code null} if it cannot be created, because the class is abstract or the runtime does not support it,
     * as in a native image.
     */
    static @Nullable Object of(ConfigurableListableBeanFactory beans, String name, Class<?> type) {
        if (Modifier.isAbstract(type.getModifiers())
                || !OBJENESIS.isWorthTrying()
                || !(beans instanceof AbstractBeanFactory factory)) {
            return null;
        }
        Object specimen;
        try {
            specimen = OBJENESIS.newInstance(type, false);
        } catch (RuntimeException e) {
            return null;
        }
        for (BeanPostProcessor processor : factory.getBeanPostProcessors()) {
            if (processor instanceof ProxyProcessorSupport) {
                Object proxy = processor.postProcessAfterInitialization(specimen, name);
                specimen = proxy == null ? specimen : proxy;
            }
        }
        return specimen;
    }
}
