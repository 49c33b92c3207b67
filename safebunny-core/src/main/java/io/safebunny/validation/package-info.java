// SPDX-License-Identifier: Apache-2.0
/** Whether what arrived in a queue is a message that its handler can take. Nothing here changes anything. */
@NullMarked
package io.safebunny.validation;

import org.jspecify.annotations.NullMarked;
