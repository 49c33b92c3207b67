// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;

/** A scenario only has a saga that a test can make, and that works without Spring. */
class SagaClassTest {

    static class Plain {}

    static class Throwing {
        Throwing() throws IOException {}
    }

    static class WithField {
        @Autowired
        String bank = "";
    }

    static class Below extends WithField {}

    static class WithSetter {
        @Autowired
        void setBank(String bank) {}
    }

    /** Stands for that of Bean Validation, which is optional. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Valid {}

    static class Validated {
        void on(@Valid String payload) {}
    }

    static class Named implements BeanNameAware {
        @Override
        public void setBeanName(String name) {}
    }

    static class Initialized implements InitializingBean {
        @Override
        public void afterPropertiesSet() {}
    }

    private static SagaClass of(Class<?> type) {
        return SagaClass.of(type.getName());
    }

    @Test
    void aPlainClassIsConstructed() {
        assertThat(of(Plain.class)).isEqualTo(new SagaClass("io.safebunny.incident", "new SagaClassTest.Plain()"));
    }

    @Test
    void aClassThatNeedsItsApplicationOrMayThrowIsNot() {
        for (Class<?> type : new Class<?>[] {
            Throwing.class,
            WithField.class,
            Below.class,
            WithSetter.class,
            Validated.class,
            Named.class,
            Initialized.class
        }) {
            assertThat(of(type).construction()).as(type.getName()).isNull();
        }
    }
}
