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
 * Shows how Spring will proxy a bean of which there is no instance yet, because it has another scope than singleton: an object of its class,
 * made without its constructor, is given to those post-processors that make proxies, and to no others. Nobody calls it.
 */
final class ProxySpecimen {

    private static final SpringObjenesis OBJENESIS = new SpringObjenesis();

    private ProxySpecimen() {}

    /** {@code null} if nothing can be known: the bean's class is abstract, or objects cannot be made so, as in a native image. */
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
