// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.logs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/** Lets methods of the test class have a {@link CapturedLogs} parameter; each test gets a new one. Included in {@code @BunnyTest}. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(CapturedLogsExtension.class)
public @interface CaptureLogs {}
