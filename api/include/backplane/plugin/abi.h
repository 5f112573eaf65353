/* The binary contract between the core and a back end: one table of C functions and the plain
 * structs that cross with it. While the major version is 0 both sides must match exactly; from 1.0
 * on, fields are only appended and a zero means "as before".
 *
 * Threads: every slot may be called from several host threads at once; calls on one queue are
 * serialised by the caller. Nothing but the slots of `bp_host` may be called back.
 */
#ifndef BACKPLANE_PLUGIN_ABI_H
#define BACKPLANE_PLUGIN_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BP_ABI_MAJOR 0
#define BP_ABI_MINOR 3
#define BP_MAX_RANK 8

typedef enum bp_status {
  BP_OK = 0,
  BP_UNSUPPORTED = 1,   /* this back end doesn't do that; another one may */
  BP_INVALID = 2,       /* the caller broke a rule of this contract */
  BP_OUT_OF_MEMORY = 3, /* the device has no room; freeing memory may help */
  BP_NOT_FOUND = 4,     /* no such device, option or handle */
  BP_FAILED = 5,        /* the vendor's library reported a fault */
  BP_DEVICE_LOST = 6    /* the device stopped answering; every later call fails */
} bp_status;

typedef enum bp_dtype {
  BP_F32 = 1,
  BP_F64 = 2,
  BP_F16 = 3,
  BP_BF16 = 4,
  BP_I8 = 5,
  BP_U8 = 6,
  BP_I32 = 7,
  BP_I64 = 8,
  BP_U16 = 9
} bp_dtype;

/* What `layout` means in a tensor description. */
#define BP_LAYOUT_STRIDED 0u /* element i lies at the sum of index times stride */
#define BP_LAYOUT_ANY 1u     /* on a plan's output: the back end chooses */
#define BP_LAYOUT_PRIVATE 2u /* from here on: the device's own, see layout_info */

/* One tensor. Strides count elements and are never negative; 0 repeats an element (inputs only).
 * With a private layout the strides are zero. */
typedef struct bp_tensor_desc {
  uint32_t dtype, rank;
  int64_t dims[BP_MAX_RANK];
  int64_t strides[BP_MAX_RANK];
  uint32_t layout, reserved;
} bp_tensor_desc;

typedef struct bp_device bp_device;
typedef struct bp_buffer bp_buffer;
typedef struct bp_queue bp_queue;
typedef struct bp_event bp_event;
typedef struct bp_plan bp_plan;
typedef struct bp_sequence bp_sequence;

typedef enum bp_memory_space { BP_MEMORY_HOST = 0, BP_MEMORY_DEVICE = 1 } bp_memory_space;
typedef enum bp_device_kind { BP_KIND_CPU = 0, BP_KIND_GPU = 1, BP_KIND_OTHER = 2 } bp_device_kind;

/* Bytes of a buffer, from `offset` on. An absent argument has a null buffer. */
typedef struct bp_arg {
  bp_buffer* buffer;
  uint64_t offset;
} bp_arg;

typedef struct bp_device_info {
  uint32_t struct_size;
  uint32_t kind;         /* bp_device_kind */
  uint32_t memory_space; /* BP_MEMORY_HOST: the core allocates and calls buffer_wrap */
  uint32_t compute_units;
  uint64_t memory_bytes; /* 0: unknown */
  uint32_t alignment;    /* of allocations, in bytes; a view may start at any element */
  uint32_t asynchronous; /* 1: plan_run may return before the work is done */
  char name[128];        /* the vendor's name of the device */
  char driver[128];      /* driver or library version */
  char unique_id[64];    /* PCI bus id where known: the same card under two back ends has one id */
} bp_device_info;

/* An operation: its id (see ops.hpp), and its parameters as a plain struct of 32-bit fields. Ids
 * from BP_FIRST_NAMED_ID on are resolved by `name`. */
#define BP_FIRST_NAMED_ID 0x80000000u
typedef struct bp_op {
  uint32_t id, size;
  const void* params;
  const char* name;
} bp_op;

typedef enum bp_numerics { BP_NUMERICS_STANDARD = 0, BP_NUMERICS_STRICT = 1 } bp_numerics;

/* A question and its answer: can this device run `op` on such tensors, and how?
 * Out: the back end may rewrite an input's strides and
 * layout (the caller then reorders that input first), fills in every output whose layout is ANY,
 * and sets the fields that are marked out. */
typedef struct bp_plan_request {
  uint32_t struct_size;
  uint32_t numerics; /* bp_numerics */
  uint32_t threads;  /* how many host threads one run may use */
  uint32_t adds_to;  /* bit i: output i is added to, not overwritten */
  bp_op op;
  bp_tensor_desc* inputs;
  bp_tensor_desc* outputs;
  uint32_t input_count, output_count;
  uint64_t workspace_bytes;       /* out: scratch memory a run needs, contents not kept */
  char implementation[64];        /* out: which kernel was chosen, for people */
  /* In: bit i says that the caller keeps input i as it is over many runs. A plan may then put it in
   * its own order once, in plan_prepare, into memory that the caller holds for it. */
  uint32_t prepares, reserved;
  uint64_t prepared_bytes; /* out: of that memory; 0: the plan prepares nothing */
} bp_plan_request;

/* One execution. `scalars` are the values that change from step to step (learning rate, seed ...);
 * their struct belongs to the operation, and the back end copies them before it returns. */
typedef struct bp_run {
  uint32_t struct_size;
  uint32_t input_count, output_count, scalar_bytes;
  const bp_arg* inputs;
  const bp_arg* outputs;
  const void* scalars;
  bp_arg workspace;
  uint64_t sequence; /* the caller's number of this operation, for the error record */
  bp_arg prepared;   /* what plan_prepare filled, where the plan asked for such memory */
} bp_run;

/* What went wrong on a queue. Kernels write it; the lowest (sequence, index) wins. */
typedef enum bp_fault { BP_FAULT_NONE = 0, BP_FAULT_INDEX_OUT_OF_RANGE = 1, BP_FAULT_DEVICE = 2 } bp_fault;
typedef struct bp_error_record {
  uint32_t struct_size;
  uint32_t fault; /* bp_fault */
  uint64_t sequence;
  int64_t index; /* the sample, or flat position, at fault */
  int64_t value; /* what stood there */
  int64_t limit; /* values must be below this */
} bp_error_record;

typedef struct bp_layout_info {
  uint32_t struct_size;
  uint32_t elementwise_ok; /* 1: element-wise kernels may treat the bytes as a dense array */
  uint64_t bytes;
  char name[64];
} bp_layout_info;

/* What a device measures of itself at this moment. NaN: it doesn't say. */
typedef struct bp_monitor {
  uint32_t struct_size, reserved;
  double utilization;      /* percent of the last sampling period in which a kernel ran */
  double temperature;      /* degrees Celsius */
  double power;            /* watts */
  double clock;            /* MHz, of the processors */
  double memory_clock;     /* MHz */
} bp_monitor;

/* The scalars of one run, as in bp_run. */
typedef struct bp_scalars {
  const void* data;
  uint64_t bytes;
} bp_scalars;

/* Where an operand of a tiled run lies. A slice moves on by `stride` bytes from tile to tile; what is
 * local lies at arg.offset in the memory of the thread that runs the tile. */
typedef enum bp_tile_place { BP_TILE_SHARED = 0, BP_TILE_SLICE = 1, BP_TILE_LOCAL = 2 } bp_tile_place;
typedef struct bp_tile_arg {
  bp_arg arg;
  uint64_t stride;
  uint32_t place; /* bp_tile_place */
  uint32_t reserved;
} bp_tile_arg;

/* One plan of a tiled run, made for a tile's shapes and one thread. */
typedef struct bp_tile_step {
  bp_plan* plan;
  const bp_tile_arg* inputs;
  const bp_tile_arg* outputs;
  uint32_t input_count, output_count;
  const void* scalars;
  uint32_t scalar_bytes;
  uint32_t sample_at;  /* where in the scalars a uint32_t grows by the samples of the tiles before */
  bp_arg prepared;     /* as in bp_run */
} bp_tile_step;
#define BP_NO_SAMPLE 0xffffffffu

/* Floats that each thread has summed up in its own memory, and where their sum goes. */
typedef struct bp_tile_sum {
  uint64_t local, count;
  bp_arg target;
} bp_tile_sum;

/* All steps for tile 0, all steps for tile 1, and so on. Tiles are shared out among `threads` in
 * contiguous runs, each with its own local memory; the sums start from zero, and are added up in
 * the order of the threads, so that results depend on `threads` and on nothing else. */
typedef struct bp_tiled_run {
  uint32_t struct_size, tiles, tile_samples, threads;
  const bp_tile_step* steps;
  const bp_tile_sum* sums;
  uint32_t step_count, sum_count;
  bp_arg locals; /* of thread i from i * local_bytes on */
  uint64_t local_bytes, workspace; /* where in it the steps' scratch memory lies */
  uint64_t sequence; /* of the first step; the others follow. A record's index counts over all tiles */
  double* seconds;   /* null, or for each step a place to which the time of its runs is added */
} bp_tiled_run;

/* Handles of the vendor that a program may share with its own code. */
typedef enum bp_native_kind {
  BP_NATIVE_DEVICE = 0, /* object: bp_device* */
  BP_NATIVE_QUEUE = 1,  /* object: bp_queue*  (cudaStream_t, cl_command_queue, dnnl_stream_t) */
  BP_NATIVE_BUFFER = 2, /* object: bp_buffer* (device pointer, cl_mem, host pointer) */
  BP_NATIVE_EVENT = 3   /* object: bp_event* */
} bp_native_kind;

/* What the program offers to a plug-in. Valid until the process ends. */
typedef struct bp_host {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor;
  void (*log)(uint32_t level, const char* text); /* 0 debug, 1 information, 2 warning */
  void* (*allocate)(uint64_t bytes);             /* 2 MiB aligned, huge pages where large */
  void (*release)(void* memory, uint64_t bytes);
  uint32_t (*threads)(void); /* the program's thread limit now */
} bp_host;

/* What a plug-in offers. The first four fields never move, so that two versions can always tell
 * each other apart. The optional slots at the end may be null. */
typedef struct bp_backend {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor;
  const char* name;    /* lower case; the part before ':' in a device name */
  const char* version; /* of the plug-in and the vendor libraries in it */

  /* Why there is no device, in words. BP_OK: devices are there, the texts stay empty. */
  bp_status (*diagnose)(char* reason, uint64_t reason_size, char* repair, uint64_t repair_size);
  bp_status (*device_count)(uint32_t* count);
  bp_status (*device_open)(uint32_t index, bp_device** device);
  void (*device_close)(bp_device*);
  bp_status (*device_info)(bp_device*, bp_device_info* info);
  bp_status (*memory_info)(bp_device*, uint64_t* free_bytes, uint64_t* total_bytes);

  bp_status (*buffer_alloc)(bp_device*, uint64_t bytes, bp_buffer** buffer); /* device space only */
  bp_status (*buffer_wrap)(bp_device*, void* memory, uint64_t bytes, bp_buffer** buffer);
  void (*buffer_free)(bp_buffer*);

  /* Copies are ordered on the queue. `upload` returns when `source` may be reused; `download`
   * fills `target` by the time the queue has been synchronised. */
  bp_status (*upload)(bp_queue*, bp_arg target, const void* source, uint64_t bytes);
  bp_status (*download)(bp_queue*, bp_arg source, void* target, uint64_t bytes);
  bp_status (*copy)(bp_queue*, bp_arg source, bp_arg target, uint64_t bytes);

  bp_status (*queue_create)(bp_device*, bp_queue** queue);
  void (*queue_destroy)(bp_queue*); /* waits for the work that is left */
  bp_status (*queue_synchronize)(bp_queue*);
  bp_status (*queue_query)(bp_queue*, uint32_t* idle);
  /* The error record as of the last synchronisation; `clear` resets it. */
  bp_status (*queue_error)(bp_queue*, uint32_t clear, bp_error_record* record);

  bp_status (*event_create)(bp_device*, bp_event** event);
  void (*event_destroy)(bp_event*);
  bp_status (*event_record)(bp_event*, bp_queue*);
  bp_status (*event_wait)(bp_event*, bp_queue*); /* later work on the queue waits */
  bp_status (*event_query)(bp_event*, uint32_t* done); /* never recorded counts as done */
  bp_status (*event_synchronize)(bp_event*);
  bp_status (*event_elapsed)(bp_event* first, bp_event* last, double* seconds);

  bp_status (*native_handle)(uint32_t kind, void* object, void** handle);
  bp_status (*layout_info)(bp_device*, const bp_tensor_desc*, bp_layout_info* info);

  bp_status (*plan_create)(bp_device*, bp_plan_request* request, bp_plan** plan);
  /* Only enqueues: no allocation on the device, no wait for it. */
  bp_status (*plan_run)(bp_plan*, bp_queue*, const bp_run* run);
  void (*plan_destroy)(bp_plan*);

  bp_status (*set_option)(bp_device*, const char* key, const char* value);
  const char* (*last_error)(void); /* of the calling thread */

  /* Optional from here on; null: not offered. */

  /* As copy, but `source` is on another device of this back end. The caller lets the queue wait for
   * what wrote the source. BP_UNSUPPORTED: not between these two. Where it is offered, event_wait
   * takes an event and a queue of two devices. */
  bp_status (*copy_peer)(bp_queue*, bp_arg source, bp_arg target, uint64_t bytes);
  bp_status (*device_monitor)(bp_device*, bp_monitor* monitor);

  /* Host memory from which the device reads by itself; it outlives the device. All three, or none.
   * `upload_pinned` returns at once: the source must lie in such memory and stay as it is until the
   * queue has passed. */
  bp_status (*host_alloc)(bp_device*, uint64_t bytes, void** memory);
  void (*host_free)(void* memory);
  bp_status (*upload_pinned)(bp_queue*, bp_arg target, const void* source, uint64_t bytes);

  /* Between begin and end, which one thread calls, `plan_run` and `copy` on the queue are noted, not
   * executed, and everything else on it is refused. All four, or none. Each plan must have run
   * before. `run` enqueues what was noted, with the same arguments, on the queue it was noted on,
   * which must outlive the sequence; `scalars` are new ones for each noted run that had any, in
   * order. The error record quotes the numbers that operations had when they were noted. */
  bp_status (*sequence_begin)(bp_queue*);
  bp_status (*sequence_end)(bp_queue*, bp_sequence** sequence);
  bp_status (*sequence_run)(bp_sequence*, bp_queue*, const bp_scalars* scalars, uint32_t count);
  void (*sequence_destroy)(bp_sequence*);

  /* Fills run->prepared from the inputs that the plan's request named; other arguments may be
   * absent. Enqueued like a run. Where it is null, requests come with prepares = 0. */
  bp_status (*plan_prepare)(bp_plan*, bp_queue*, const bp_run* run);

  /* Many plans over a batch, a few samples at a time. Enqueued like a run. */
  bp_status (*run_tiled)(bp_queue*, const bp_tiled_run* run);
} bp_backend;

/* The one symbol a plug-in exports, named backplane_backend. It returns its table whatever the
 * versions are; the program compares them. Null: the plug-in can't be used with this host. */
typedef const bp_backend* (*bp_entry)(const bp_host* host);

#ifdef __cplusplus
}
#endif
#endif
