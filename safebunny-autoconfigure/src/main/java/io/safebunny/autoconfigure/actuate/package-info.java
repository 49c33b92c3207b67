// SPDX-License-Identifier: Apache-2.0
/** Spring Boot actuator endpoints that show the node and pass operations on to it. No decisions are taken here. */
@NullMarked
package io.safebunny.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
