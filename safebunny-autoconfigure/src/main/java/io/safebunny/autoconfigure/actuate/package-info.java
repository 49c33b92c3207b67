// SPDX-License-Identifier: Apache-2.0
/** The node for Spring Boot's actuator: endpoints that look at it, or hand an operation on to it. Nothing here decides anything. */
@NullMarked
package io.safebunny.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
