// SPDX-License-Identifier: Apache-2.0
/** What holds delayed messages back: a ladder of queues, or the plugin; and which of them a node uses. */
@NullMarked
package io.safebunny.rabbit.delay;

import org.jspecify.annotations.NullMarked;
